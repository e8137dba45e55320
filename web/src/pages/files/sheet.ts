/** A file of rows, as it was read. */
export interface Sheet {
  header: string[];
  rows: string[][];
  /** How it was read, in words. */
  form: string;
}

/** What a file says, in the encoding that it has: that of its byte order mark, UTF-8 if it is that, otherwise that of Windows. */
async function textOf(file: File): Promise<{ text: string; encoding: string }> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const marks: [string, number[]][] = [["utf-16le", [0xff, 0xfe]], ["utf-16be", [0xfe, 0xff]]];
  const marked = marks.find(([, mark]) => mark.every((b, i) => bytes[i] === b))?.[0];
  if (marked) return { text: new TextDecoder(marked).decode(bytes), encoding: marked.toUpperCase() };
  try {
    return { text: new TextDecoder("utf-8", { fatal: true }).decode(bytes), encoding: "UTF-8" };
  } catch {
    return { text: new TextDecoder("windows-1252").decode(bytes), encoding: "Windows-1252" };
  }
}

const separators: [string, string][] = [[";", "semicolons"], ["\t", "tabs"], ["|", "bars"], [",", "commas"]];

/** The rows of a text (RFC 4180, with any separator). */
function split(text: string, separator: string, most = Infinity): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  const end = () => {
    row.push(cell);
    if (row.some((c) => c.trim() !== "")) rows.push(row);
    row = [];
    cell = "";
  };
  for (let i = 0; i < text.length && rows.length < most; i++) {
    const c = text[i]!;
    if (quoted && c === '"' && text[i + 1] === '"') {
      cell += c;
      i++;
    } else if (c === '"' && (quoted || cell.trim() === "")) {
      cell = quoted ? cell : "";
      quoted = !quoted;
    } else if (quoted) cell += c;
    else if (c === separator) {
      row.push(cell);
      cell = "";
    }
    else if (c === "\n" || c === "\r") end();
    else cell += c;
  }
  end();
  return rows;
}

/** Headers, each another one: one that is empty, or there before, is told by its place. */
const named = (header: string[]) => header.map((h, i) => (h && header.indexOf(h) === i ? h : `${h} (column ${i + 1})`.trim()));

/** Reads a file: the separator is the one that its first line has the most of. Throws what is wrong with one that has no rows. */
export async function readSheet(file: File): Promise<Sheet> {
  const { text, encoding } = await textOf(file);
  const plain = text.replace(/^\ufeff/, "");
  const counted = separators.map(([separator, name]) => ({ separator, name, columns: split(plain, separator, 1)[0]?.length ?? 0 }));
  const best = counted.reduce((a, b) => (b.columns > a.columns ? b : a));
  const [header, ...rows] = split(plain, best.separator);
  if (!header) throw new Error(`${file.name} is empty.`);
  if (header.some((h) => h.includes("\0"))) throw new Error(`${file.name} is no text. Save the workbook as CSV first.`);
  return { header: named(header.map((h) => h.trim())), rows: rows.map((row) => row.map((c) => c.trim())), form: `${encoding}, with ${best.name}` };
}
