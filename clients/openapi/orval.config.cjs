// The server is the one that the document names.
module.exports = {
  upline: { input: "./generated/openapi.json", output: { target: "./generated/orval.ts", client: "fetch", baseUrl: { getBaseUrlFromSpecification: true } } },
};
