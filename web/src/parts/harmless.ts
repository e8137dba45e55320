// What a spreadsheet would take for a formula is marked as text, as the server marks it in
// its files (internal/exchange/sheet); a test holds one to the other.
const cells = /[^;,\t\r\n]*[;,\t\r\n]|[^;,\t\r\n]+$/g;
const behind = '(?:(?![;,\\t\\r\\n])["\\p{White_Space}\\p{Cc}\\p{Cf}])*';
const begins = new RegExp(`^'*${behind}[=+\\-@＝＋－＠\\t\\r\\n]`, "u");
const begin = new RegExp(`^'*${behind}[=+\\-@＝＋－＠]`, "u");

/** A text with an apostrophe before whatever in it a spreadsheet would carry out. */
export const harmless = (text: string) => (text.match(cells) ?? []).map((cell, i) => ((i === 0 ? begins : begin).test(cell) ? `'${cell}` : cell)).join("");
