import { Button, Checkbox, Group, Stack, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import { RoleCreateDocument, RoleDeleteDocument, RolesDocument, type RolesQuery, RoleUpdateDocument } from "../../gql";
import { Confirm } from "../../parts/confirm";
import { Dialog } from "../../parts/dialog";
import { Scopes, ScopesField } from "../../parts/scopes";
import { Rows } from "../../parts/rows";
import { useReason } from "../../parts/reason";
import { Failure, Loading, Problems } from "../../parts/states";

type Role = RolesQuery["roles"]["nodes"][number];

/** What each role may do; those of the agency's own can be changed. */
export function Roles() {
  const { data, error, loading } = useAnswer(RolesDocument, {});
  const may = useMay("write:roles");
  const [edited, setEdited] = useState<Role | "new" | null>(null);
  if (error) return <Failure error={error} />;
  if (loading || !data) return <Loading what="roles" />;
  const roles = data.roles.nodes;
  return (
    <Stack gap="sm">
      {may && (
        <Group>
          <Button size="xs" onClick={() => setEdited("new")}>
            New role
          </Button>
        </Group>
      )}
      <Rows
        label="Roles"
        head={["Role", "What for", "Sees", "Users", "May", ""]}
        width={860}
        rows={roles.map((r) => ({
          key: r.name,
          cells: [
            r.name,
            r.description,
            r.limitedToDownline ? "The downline" : "The agency",
            r.userCount,
            <Scopes key="s" scopes={r.scopes} />,
            may && !r.isSystem && (
              <Button key="b" size="compact-xs" variant="default" onClick={() => setEdited(r)} aria-label={`Change ${r.name}`}>
                Change
              </Button>
            ),
          ],
        }))}
      />
      {edited && <EditRole role={edited === "new" ? null : edited} all={roles} onClose={() => setEdited(null)} />}
    </Stack>
  );
}

/** Makes a role, or changes or deletes one. Its scopes are among those that a role holds already: the administrator's are all there are. */
function EditRole({ role, all, onClose }: { role: Role | null; all: Role[]; onClose: () => void }) {
  const create = useAction(RoleCreateDocument);
  const update = useAction(RoleUpdateDocument);
  const remove = useAction(RoleDeleteDocument);
  const [name, setName] = useState(role?.name ?? "");
  const [description, setDescription] = useState(role?.description ?? "");
  const [asked, setAsked] = useState(false);
  const [scopes, setScopes] = useState<string[]>(role?.scopes ?? []);
  const [limitedToDownline, setLimited] = useState(role?.limitedToDownline ?? false);
  const [why, reason] = useReason();
  const given = { description: description || null, scopes, limitedToDownline, ...why };
  const end = (done: unknown) => done && onClose();
  const save = async () => end(role ? await update.run({ known: [role.lastModified], input: { name: role.name, ...given } }) : await create.run({ input: { name, ...given } }));
  return (
    <Dialog onClose={onClose} title={role ? `Change ${role.name}` : "New role"} size="lg">
      <Stack>
        {!role && <TextInput label="Name" required value={name} onChange={(e) => setName(e.currentTarget.value)} />}
        <TextInput label="What for" value={description} onChange={(e) => setDescription(e.currentTarget.value)} />
        <ScopesField label="Rights" data={[...new Set(all.flatMap((r) => r.scopes))].sort()} value={scopes} onChange={setScopes} />
        <Checkbox label="Its users see the agent that they are, and everybody below, only" checked={limitedToDownline} onChange={(e) => setLimited(e.currentTarget.checked)} />
        {reason}
        <Problems problems={[...create.problems, ...update.problems, ...remove.problems]} />
        <Group justify="space-between">
          {role ? (
            <Button variant="default" loading={remove.busy} onClick={() => setAsked(true)}>
              Delete
            </Button>
          ) : (
            <span />
          )}
          <Button loading={create.busy || update.busy} onClick={() => void save()}>
            Save
          </Button>
        </Group>
      </Stack>
      {role && asked && (
        <Confirm title={`Delete ${role.name}`} yes="Delete the role" danger onClose={() => setAsked(false)} onYes={(why) => void remove.run({ known: [role.lastModified], name: role.name, ...why }).then(end)}>
          The role is gone for good. One that a user holds is not deleted.
        </Confirm>
      )}
    </Dialog>
  );
}
