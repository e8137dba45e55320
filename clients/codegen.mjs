// The configuration of graphql-codegen: the preset that its guide begins with.
export default {
  schema: "../schema.graphql",
  documents: "src/codegen.ts",
  generates: { "__generated__/codegen/": { preset: "client", config: { scalars: { Date: "string", DateTime: "string", Decimal: "string", Long: "number", JSON: "Record<string, unknown>" } } } },
};
