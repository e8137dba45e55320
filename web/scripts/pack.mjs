// Puts what was built, compressed, where Go compiles it in. A file whose content
// is the same stays as it is: compressors differ from machine to machine.
import { appendFileSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";

const root = new URL("..", import.meta.url).pathname;
const from = join(root, "build");
const to = join(root, "../app/pages/workbench/dist");
const most = 2 << 20;

const files = (dir) =>
  readdirSync(dir, { recursive: true })
    .map(String)
    .filter((name) => statSync(join(dir, name)).isFile());

// What is no script is not in the list that the build makes: the font.
const font = join(root, "node_modules/@fontsource-variable/inter");
const { name, version, license } = JSON.parse(readFileSync(join(font, "package.json"), "utf8"));
appendFileSync(join(from, "licenses.txt"), `\n## ${name} - ${version} (${license})\n\n${readFileSync(join(font, "LICENSE"), "utf8")}`);

const packed = (path) => {
  try {
    return gunzipSync(readFileSync(path));
  } catch {
    return undefined;
  }
};

mkdirSync(to, { recursive: true });
const built = files(from);
for (const old of files(to)) if (!old.endsWith(".gz") || !built.includes(old.slice(0, -3))) rmSync(join(to, old));
let size = 0;
for (const name of built) {
  const target = join(to, `${name}.gz`);
  const content = readFileSync(join(from, name));
  mkdirSync(dirname(target), { recursive: true });
  if (!packed(target)?.equals(content)) writeFileSync(target, gzipSync(content, { level: 9 }));
  size += statSync(target).size;
}
console.log(`${built.length} files, ${Math.round(size / 1024)} KiB compressed`);
if (size > most) throw new Error(`more than ${most} bytes`);
