// Marks the texts of a JSON list on the input as the workbench does in its CSV, and prints them.
import { text } from "node:stream/consumers";
import { pure } from "./pure.mjs";

const { harmless } = await pure("parts/harmless.ts");
console.log(JSON.stringify(JSON.parse(await text(process.stdin)).map(harmless)));
