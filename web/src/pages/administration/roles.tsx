import { useAnswer } from "../../api/answer";
import { RolesDocument } from "../../gql";
import { Rows } from "../../parts/rows";
import { Failure, Loading } from "../../parts/states";

/** What each role may do. */
export function Roles() {
  const { data, error, loading } = useAnswer(RolesDocument, {});
  if (error) return <Failure error={error} />;
  if (loading || !data) return <Loading what="roles" />;
  return (
    <Rows
      label="Roles"
      head={["Role", "What for", "Limited to the downline", "Users", "Scopes"]}
      width={760}
      rows={data.roles.nodes.map((r) => ({ key: r.name, cells: [r.name, r.description, r.limitedToDownline ? "Yes" : "No", r.userCount, r.scopes.join(", ")] }))}
    />
  );
}
