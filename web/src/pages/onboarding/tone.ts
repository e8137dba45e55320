import type { ApplicationStatus } from "../../gql";
import type { Tone } from "../../parts/status";

const tones: Record<ApplicationStatus, Tone> = { ACTIVE: "plain", HOLD: "warn", COMPLETE: "info", PAID: "info", PROCESSED: "good", REJECTED: "bad" };
export const toneOf = (status: ApplicationStatus | null): Tone => (status ? tones[status] : "plain");
