import { words } from "../format";

const names: Record<string, string> = { npn: "NPN", url: "URL", naicCode: "NAIC code", ssn: "SSN", ein: "EIN", w9: "W9", line1: "Street", line2: "Street, second line", address1: "Street", address2: "Street, second line", zipCode: "ZIP code", directUpline: "Upline", redirectUris: "Redirect URIs", directDeposit: "Bank account", apiKey: "API key" };

/** The name of a field in words: first name of firstName. */
export const labelOf = (name: string) => names[name] ?? words(name.replace(/([A-Z0-9]+)/g, " $1").trim());
