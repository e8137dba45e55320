// Writes src/gql.ts: the types of the schema and of every operation below src.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codegen } from "@graphql-codegen/core";
import * as typedDocumentNode from "@graphql-codegen/typed-document-node";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import { parse } from "graphql";

const root = new URL("..", import.meta.url).pathname;
const read = (path) => readFileSync(path, "utf8");

const documents = readdirSync(join(root, "src"), { recursive: true })
  .filter((name) => name.endsWith(".graphql"))
  .sort()
  .map((name) => ({ location: name, document: parse(read(join(root, "src", name))) }));

const text = await codegen({
  filename: "src/gql.ts",
  schema: parse(read(join(root, "../schema.graphql"))),
  documents,
  config: {
    scalars: { Date: "string", DateTime: "string", Decimal: "string", Long: "number", JSON: "unknown", Upload: "File", ID: "string" },
    useTypeImports: true,
    enumsAsTypes: true,
    skipTypename: true,
    onlyOperationTypes: true,
    avoidOptionals: { field: true, inputValue: false, object: false, defaultValue: false },
  },
  plugins: [{ typescript: {} }, { operations: {} }, { typedDocumentNode: {} }],
  pluginMap: { typescript, operations, typedDocumentNode },
});
writeFileSync(join(root, "src/gql.ts"), text);
