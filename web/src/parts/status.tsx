import type { ReactNode } from "react";

export type Tone = "good" | "plain" | "info" | "warn" | "bad";

/** A state in a word, coloured by what it means. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => <span className={`status ${tone}`}>{children}</span>;
