// The configuration of generate-persisted-query-manifest.
export default { documents: ["trusted/queries.mjs"], output: "__generated__/trusted/apollo.json" };
