// Shows the OpenAPI document of this server, with the GraphQL that each operation
// runs. Requests and tokens go to this server by the name that the browser knows it by.
(async () => {
  const content = await (await fetch("/openapi.json")).json();
  const here = (url) => new URL(new URL(url, location.origin).pathname, location.origin).href;
  content.servers = [{ url: location.origin, description: "This server." }];
  for (const flow of Object.values(content.components.securitySchemes.oauth2.flows)) {
    for (const name of ["tokenUrl", "authorizationUrl", "refreshUrl"]) {
      if (flow[name]) flow[name] = here(flow[name]);
    }
  }
  for (const item of Object.values(content.paths)) {
    for (const operation of Object.values(item)) {
      operation.description += `\n\n<details><summary>The GraphQL that it runs</summary>\n\n\`\`\`graphql\n${operation["x-graphql"].trim()}\n\`\`\`\n\n</details>`;
    }
  }
  Scalar.createApiReference("#reference", {
    content,
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    mcp: { disabled: true },
    agent: { disabled: true },
    persistAuth: false,
    documentDownloadType: "none",
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
    authentication: { preferredSecurityScheme: "oauth2" },
  });
})();
