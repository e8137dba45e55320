/** The names in the first line of a CSV file, quotes and all (RFC 4180). JSON lines have no header. */
export async function headerOf(file: File): Promise<string[]> {
  if (!file.name.toLowerCase().endsWith(".csv")) return [];
  const text = (await file.slice(0, 64 << 10).text()).replace(/^\ufeff/, "");
  const names: string[] = [];
  let name = "";
  let quoted = false;
  for (let i = 0; i < text.length; i++) {
    const c = text[i]!;
    if (quoted && c === '"' && text[i + 1] === '"') {
      name += c;
      i++;
    } else if (c === '"') quoted = !quoted;
    else if (!quoted && c === ",") {
      names.push(name);
      name = "";
    } else if (!quoted && (c === "\n" || c === "\r")) break;
    else name += c;
  }
  return [...names, name].map((n) => n.trim()).filter((n) => n !== "");
}
