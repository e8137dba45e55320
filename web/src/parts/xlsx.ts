// A workbook with one sheet (ECMA-376), in a ZIP archive whose files are not compressed.

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c;
});

function crc(bytes: Uint8Array): number {
  let c = 0xffffffff;
  for (const b of bytes) c = table[(c ^ b) & 0xff]! ^ (c >>> 8);
  return (c ^ 0xffffffff) >>> 0;
}

const little = (...fields: [number, 2 | 4][]) => Uint8Array.from(fields.flatMap(([n, size]) => Array.from({ length: size }, (_, i) => (n >>> (8 * i)) & 0xff)));

function zip(files: [string, string][]): Blob {
  const [parts, directory] = [[] as Uint8Array<ArrayBuffer>[], [] as Uint8Array<ArrayBuffer>[]];
  let at = 0;
  for (const [path, text] of files) {
    const [name, content] = [new TextEncoder().encode(path), new TextEncoder().encode(text)];
    // Version, flags, method, time, the first of January 1980, then the sum and the sizes.
    const about: [number, 2 | 4][] = [[20, 2], [0x800, 2], [0, 2], [0, 2], [0x21, 2], [crc(content), 4], [content.length, 4], [content.length, 4], [name.length, 2], [0, 2]];
    directory.push(little([0x02014b50, 4], [20, 2], ...about, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]), name);
    const head = little([0x04034b50, 4], ...about);
    parts.push(head, name, content);
    at += head.length + name.length + content.length;
  }
  const size = directory.reduce((n, part) => n + part.length, 0);
  return new Blob([...parts, ...directory, little([0x06054b50, 4], [0, 2], [0, 2], [files.length, 2], [files.length, 2], [size, 4], [at, 4], [0, 2])], { type: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet" });
}

const escaped = (text: string) => text.replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "").replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);
const letters = (n: number): string => (n < 26 ? String.fromCharCode(65 + n) : letters(Math.floor(n / 26) - 1) + letters(n % 26));
const declared = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>';
const office = "http://schemas.openxmlformats.org/officeDocument/2006";
const main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

/** The number of a day in a workbook. */
const serial = (day: string) => Date.parse(`${day}T00:00:00Z`) / 86_400_000 + 25569;

/** How a column is written: as text, as a number, or as a day. */
export type SheetKind = "text" | "number" | "day";

function cell(value: unknown, kind: SheetKind, style: number): string {
  if (value === null || value === undefined || value === "") return "<c/>";
  if (kind === "number" && Number.isFinite(Number(value))) return `<c s="${style}"><v>${Number(value)}</v></c>`;
  if (kind === "day" && /^\d{4}-\d{2}-\d{2}$/.test(String(value)) && String(value) >= "1900-03-01") return `<c s="2"><v>${serial(String(value))}</v></c>`;
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return `<c t="inlineStr" s="${style}"><is><t xml:space="preserve">${escaped(text.slice(0, 32_767))}</t></is></c>`;
}

/** A table as a workbook: the heads stand, are as wide as what is below, and filter it. */
export function xlsx(header: string[], kinds: SheetKind[], rows: unknown[][]): Blob {
  const widths = header.map((h, i) => Math.min(60, Math.max(h.length + 4, ...rows.slice(0, 500).map((row) => String(row[i] ?? "").length + 2))));
  const line = (cells: string[]) => `<row>${cells.join("")}</row>`;
  const sheet = `${declared}<worksheet xmlns="${main}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>${widths.map((w, i) => `<col min="${i + 1}" max="${i + 1}" width="${w}" customWidth="1"/>`).join("")}</cols><sheetData>${line(header.map((h) => cell(h, "text", 1)))}${rows.map((row) => line(row.map((v, i) => cell(v, kinds[i]!, 0)))).join("")}</sheetData><autoFilter ref="A1:${letters(header.length - 1)}${rows.length + 1}"/></worksheet>`;
  return zip([
    ["[Content_Types].xml", `${declared}<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Default Extension="xml" ContentType="application/xml"/><Override PartName="/xl/workbook.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/><Override PartName="/xl/worksheets/sheet1.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/><Override PartName="/xl/styles.xml" ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.styles+xml"/></Types>`],
    ["_rels/.rels", `${declared}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}/relationships/officeDocument" Target="xl/workbook.xml"/></Relationships>`],
    ["xl/workbook.xml", `${declared}<workbook xmlns="${main}" xmlns:r="${office}/relationships"><sheets><sheet name="Rows" sheetId="1" r:id="r1"/></sheets></workbook>`],
    ["xl/_rels/workbook.xml.rels", `${declared}<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="${office}/relationships/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="r2" Type="${office}/relationships/styles" Target="styles.xml"/></Relationships>`],
    ["xl/styles.xml", `${declared}<styleSheet xmlns="${main}"><fonts count="2"><font/><font><b/></font></fonts><fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills><borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs><cellXfs count="3"><xf/><xf fontId="1" applyFont="1"/><xf numFmtId="14" applyNumberFormat="1"/></cellXfs></styleSheet>`],
    ["xl/worksheets/sheet1.xml", sheet],
  ]);
}
