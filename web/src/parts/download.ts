/** Gives the reader a file. */
export function download(content: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

const quoted = (cell: unknown) => {
  const text = cell === null || cell === undefined ? "" : typeof cell === "object" ? JSON.stringify(cell) : String(cell);
  // A spreadsheet would carry out what looks like a formula.
  const safe = typeof cell === "string" && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

/** A table as CSV (RFC 4180). */
export const csv = (header: string[], rows: unknown[][]) => new Blob(["\ufeff", [header, ...rows].map((row) => row.map(quoted).join(",")).join("\r\n"), "\r\n"], { type: "text/csv;charset=utf-8" });
