/** An object of which nothing is known but that its values have names. */
export type Row = Record<string, unknown>;

/** Whether a value is such an object, and no list. */
export const isRow = (value: unknown): value is Row => typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is such an object with texts only. */
export const isTexts = (value: unknown): value is Record<string, string> => isRow(value) && Object.values(value).every((v) => typeof v === "string");
