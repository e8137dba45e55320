// The configuration of graphql-codegen with persisted documents.
export default {
  schema: "../schema.graphql",
  documents: "src/codegen.ts",
  generates: { "__generated__/trusted/codegen/": { preset: "client", presetConfig: { persistedDocuments: true } } },
};
