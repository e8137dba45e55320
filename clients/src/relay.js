// Relay, with what its compiler makes of the queries below: modules of the older kind, as
// this one is.
const { Environment, Network, RecordSource, Store, commitMutation, createOperationDescriptor, fetchQuery, getSingularSelector } = require("relay-runtime");
const fieldsFragment = require("../__generated__/relay_fields.graphql.js");
const agentQuery = require("../__generated__/relayAgentQuery.graphql.js");
const pageQuery = require("../__generated__/relayPageQuery.graphql.js");
const updateMutation = require("../__generated__/relayUpdateMutation.graphql.js");

// The compiler reads these; their artifacts are what runs.
const graphql = () => undefined;

graphql`
  fragment relay_fields on Agent @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" }) @refetchable(queryName: "relayPageQuery") {
    id
    asOf
    commonName
    payStatus {
      name
    }
    certifications(first: $count, after: $cursor) @connection(key: "relay_certifications") {
      edges {
        node {
          id
          asOf
          status
        }
      }
      pageInfo {
        endCursor
      }
    }
  }
`;
graphql`
  query relayAgentQuery($on: Date) {
    agent(agentCode: "A1", onDate: $on) {
      ...relay_fields
    }
  }
`;
graphql`
  mutation relayUpdateMutation($input: AgentUpdateInput!) {
    agentUpdate(input: $input) {
      agent {
        id
        commonName
      }
    }
  }
`;

exports.relayRuntime = async (url, token) => {
  const { walk } = await import("./case.mjs");
  const network = Network.create(async ({ text: query }, variables) => {
    const answer = await fetch(url, { method: "POST", headers: { authorization: `Bearer ${token}`, "content-type": "application/json" }, body: JSON.stringify({ query, variables }) });
    return answer.json();
  });
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  const fields = (ref) => environment.lookup(getSingularSelector(fieldsFragment, ref)).data;
  const operationOf = (on) => createOperationDescriptor(agentQuery, { on });
  for (const on of ["2026-01-15", null]) environment.retain(operationOf(on));
  const kept = (on) => fields(environment.lookup(operationOf(on).fragment).data.agent);
  const page = async (a, variables) => fields((await fetchQuery(environment, pageQuery, { id: a.id, ...variables }, { fetchPolicy: "network-only" }).toPromise()).node);
  return walk({
    kept,
    read: async (on) => fields((await fetchQuery(environment, agentQuery, { on }).toPromise()).agent),
    refetch: (a) => page(a, {}),
    more: (a) => page(a, { cursor: kept(a.asOf).certifications.pageInfo.endCursor }),
    certifications: (on) => kept(on).certifications.edges.map((e) => e.node),
    change: async (a, commonName) => {
      const answered = new Promise((onCompleted, onError) =>
        commitMutation(environment, {
          mutation: updateMutation,
          variables: { input: { agentCode: "A1", commonName, initiator: "portal" } },
          optimisticResponse: { agentUpdate: { agent: { id: a.id, commonName } } },
          onCompleted,
          onError,
        }),
      );
      const early = kept(null).commonName;
      await answered;
      return early;
    },
  });
};
