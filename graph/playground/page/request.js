// Sends GraphQL requests for GraphiQL.

const failure = (message) => ({ errors: [{ message }] });

async function parse(response) {
  const bytes = await response.arrayBuffer();
  try {
    return { result: JSON.parse(new TextDecoder().decode(bytes)), size: bytes.byteLength };
  } catch {
    return { result: failure(`The server answered status ${response.status} without JSON.`), size: bytes.byteLength };
  }
}

// Server-sent events, as GraphQL over SSE uses them: "next" with a result,
// "complete" at the end.
async function readEvents(response, observer) {
  let rest = "";
  for await (const text of response.body.pipeThrough(new TextDecoderStream())) {
    const blocks = (rest + text).split(/\r?\n\r?\n/);
    rest = blocks.pop();
    for (const block of blocks) {
      const field = (name) => block.match(new RegExp(`^${name}: ?(.*)$`, "m"))?.[1];
      if (field("event") === "complete") return;
      if (field("data")) observer.next(JSON.parse(field("data")));
    }
  }
}

// Returns a GraphiQL fetcher for one tenant. asOf gives the chosen date or
// null; report receives what is known of a finished request.
export function createFetcher({ tenant, session, asOf, report }) {
  const url = `../graphql/${encodeURIComponent(tenant)}`;

  async function send(params, { headers = {} } = {}, accept, signal) {
    const all = new Headers({ "Content-Type": "application/json", Accept: accept });
    const token = await session.token();
    if (token) all.set("Authorization", `Bearer ${token}`);
    // Without this header the server does not look at the cookie of a session.
    if (session.person) all.set("X-Upline-Request", "playground");
    if (asOf()) all.set("As-Of-Date", asOf());
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return fetch(url, { method: "POST", credentials: session.person ? "same-origin" : "omit", headers: all, body: JSON.stringify(params), signal });
  }

  // A token may end early, for instance when a demo starts anew; 401 is
  // answered before anything runs, so a mutation can be sent again as well.
  async function sendSignedIn(...request) {
    const response = await send(...request);
    if (response.status !== 401 || !session.renewable) return response;
    await session.renew();
    return send(...request);
  }

  async function query(params, options) {
    const start = performance.now();
    try {
      const response = await sendSignedIn(params, options, "application/graphql-response+json, application/json;q=0.9");
      const { result, size } = await parse(response);
      if (params.operationName !== "IntrospectionQuery") {
        const cost = result.extensions?.cost;
        report({ status: response.status, milliseconds: performance.now() - start, size, cost, date: asOf() });
      }
      return result;
    } catch (error) {
      return failure(error.message);
    }
  }

  const subscription = (params, options) => ({
    subscribe(observer) {
      const stop = new AbortController();
      const run = async () => {
        const response = await sendSignedIn(params, options, "text/event-stream", stop.signal);
        if (response.headers.get("Content-Type")?.startsWith("text/event-stream")) await readEvents(response, observer);
        else observer.next((await parse(response)).result);
      };
      run().then(
        () => observer.complete(),
        (error) => stop.signal.aborted || observer.error(error),
      );
      return { unsubscribe: () => stop.abort() };
    },
  });

  return (params, options) => {
    const operation = options?.documentAST && GraphiQL.GraphQL.getOperationAST(options.documentAST, params.operationName);
    return operation?.operation === "subscription" ? subscription(params, options) : query(params, options);
  };
}
