import { harmless } from "./harmless";
import type { SheetKind } from "./xlsx";

/** Gives the reader a file. */
export function download(content: Blob, name: string) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

function quoted(cell: unknown, kind: SheetKind = "text") {
  const text = cell === null || cell === undefined ? "" : typeof cell === "object" ? JSON.stringify(cell) : String(cell);
  const safe = kind === "text" && typeof cell !== "number" && typeof cell !== "boolean" ? harmless(text) : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

/** A table as CSV (RFC 4180). */
export const csv = (header: string[], rows: unknown[][], kinds: SheetKind[] = []) => {
  const lines = [header.map((name) => quoted(name)), ...rows.map((row) => row.map((cell, i) => quoted(cell, kinds[i])))];
  return new Blob(["\ufeff", lines.map((line) => line.join(",")).join("\r\n"), "\r\n"], { type: "text/csv;charset=utf-8" });
};
