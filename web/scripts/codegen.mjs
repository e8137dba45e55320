// Writes src/gql.ts: the types of the schema and of every operation below src; src/inputs.ts:
// what forms take, for each mutation of a records.graphql; src/sensitive.ts: the names of
// what is never shown again; src/enums.ts: the values of all enumerations.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { codegen } from "@graphql-codegen/core";
import * as typedDocumentNode from "@graphql-codegen/typed-document-node";
import * as typescript from "@graphql-codegen/typescript";
import * as operations from "@graphql-codegen/typescript-operations";
import { buildASTSchema, getNamedType, getNullableType, isEnumType, isInputObjectType, isListType, isNonNullType, parse, valueFromASTUntyped } from "graphql";

const root = new URL("..", import.meta.url).pathname;
const read = (path) => readFileSync(path, "utf8");

const documents = readdirSync(join(root, "src"), { recursive: true })
  .filter((name) => name.endsWith(".graphql"))
  .sort()
  .map((name) => ({ location: name, document: parse(read(join(root, "src", name))) }));

const sdl = parse(read(join(root, "../schema.graphql")));
const text = await codegen({
  filename: "src/gql.ts",
  schema: sdl,
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

const schema = buildASTSchema(sdl, { assumeValid: true });
const isSensitive = (field) => field.astNode.directives.some((d) => d.name.value === "sensitive");

/** A field of an input, as a form needs it. */
function fieldOf(field) {
  const type = getNamedType(field.type);
  const list = isListType(getNullableType(field.type));
  const initial = field.astNode.defaultValue ? valueFromASTUntyped(field.astNode.defaultValue) : undefined;
  return {
    name: field.name,
    type: type.name,
    says: field.description ?? "",
    ...(isNonNullType(field.type) && initial === undefined && { isRequired: true }),
    ...(list && { isList: true }),
    ...(isInputObjectType(type) && { of: type.name }),
    ...(isEnumType(type) && { choices: type.getValues().map((v) => v.name) }),
    ...(isSensitive(field) && { isSensitive: true }),
    ...(initial !== undefined && { initial: String(initial) }),
  };
}

const enums = Object.values(schema.getTypeMap()).filter((t) => isEnumType(t) && !t.name.startsWith("__")).flatMap((t) => t.getValues().map((v) => v.name));
writeFileSync(join(root, "src/enums.ts"), `export const enums: ReadonlySet<string> = new Set(${JSON.stringify([...new Set(enums)].sort().join(" "))}.split(" "));\n`);

const inputs = {};
function add(type) {
  if (inputs[type.name]) return;
  const fields = Object.values(type.getFields());
  inputs[type.name] = fields.map(fieldOf);
  fields.map((f) => getNamedType(f.type)).filter(isInputObjectType).forEach(add);
}
for (const { document } of documents.filter((d) => d.location.endsWith("records.graphql")))
  for (const definition of document.definitions)
    for (const variable of definition.variableDefinitions ?? []) {
      let { type } = variable;
      while (type.type) type = type.type;
      if (isInputObjectType(schema.getType(type.name.value))) add(schema.getType(type.name.value));
    }
writeFileSync(
  join(root, "src/inputs.ts"),
  `export interface InputField { name: string; type: string; says: string; isRequired?: boolean; isList?: boolean; of?: string; choices?: string[]; isSensitive?: boolean; initial?: string }\nexport const inputs: Record<string, InputField[]> = ${JSON.stringify(inputs)};\n`,
);

const sensitive = Object.values(schema.getTypeMap()).filter(isInputObjectType).flatMap((t) => Object.values(t.getFields()).filter(isSensitive).map((f) => f.name));
writeFileSync(join(root, "src/sensitive.ts"), `export const sensitive: string[] = ${JSON.stringify([...new Set(sensitive)])};\n`);
