import { Button, Checkbox, Group, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import { AgentPicker } from "../../app/find";
import { RoleCreateDocument, RolesDocument, type RolesQuery, UserCreateDocument, UsersDocument, UserSessionsEndDocument, type UsersQuery, UserUpdateDocument } from "../../gql";
import { ChooseMany } from "../../parts/choose";
import { Confirm } from "../../parts/confirm";
import { Dialog } from "../../parts/dialog";
import { count, formatInstant } from "../../parts/format";
import { AgentLink } from "../../parts/links";
import { Pager, usePages } from "../../parts/pager";
import { Rows } from "../../parts/rows";
import { type Given, useReason } from "../../parts/reason";
import { Failure, Loading, Problems } from "../../parts/states";
import { Status } from "../../parts/status";
import { words } from "../../parts/words";

type User = UsersQuery["users"]["nodes"][number];

export function Users() {
  const pages = usePages();
  const { data, error, loading } = useAnswer(UsersDocument, { after: pages.after });
  const may = useMay("write:users");
  const [edited, setEdited] = useState<User | "new" | null>(null);
  const page = data?.users;
  return (
    <Stack gap="sm">
      {may && (
        <Group>
          <Button size="xs" onClick={() => setEdited("new")}>
            New user
          </Button>
        </Group>
      )}
      {error && <Failure error={error} />}
      {loading && <Loading what="users" />}
      {page && (
        <>
          <Rows
            label="Users"
            head={["Username", "E-mail", "Agent", "Roles", "Status", "Last sign-in", ""]}
            rows={page.nodes.map((u) => ({
              key: u.username,
              cells: [
                u.username,
                u.email,
                u.agentCode && <AgentLink code={u.agentCode} />,
                u.roles.map((r) => r.name).join(", "),
                <Status key="s" tone={u.status === "APPROVED" ? "good" : "warn"}>
                  {words(u.status)}
                </Status>,
                formatInstant(u.lastSignInAt),
                may && (
                  <Button key="b" size="compact-xs" variant="default" onClick={() => setEdited(u)} aria-label={`Change ${u.username}`}>
                    Change
                  </Button>
                ),
              ],
            }))}
          />
          <Pager pages={pages} info={page.pageInfo}>
            {count(page.totalCount, "user")}
          </Pager>
        </>
      )}
      {edited && <EditUser user={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
    </Stack>
  );
}

type Role = RolesQuery["roles"]["nodes"][number];

/** The roles that may do the same as others, to a downline only; one that the agency has not is made. */
function useTwins(all: Role[]) {
  const create = useAction(RoleCreateDocument, "live");
  const of = async (names: string[]) => {
    const held: string[] = [];
    for (const name of names) {
      const role = all.find((r) => r.name === name);
      const twin = `${name} (downline only)`;
      const isThere = !role || role.limitedToDownline || all.some((r) => r.name === twin);
      held.push(!role || role.limitedToDownline ? name : twin);
      if (!isThere && !(await create.run({ input: { name: twin, description: role.description, scopes: role.scopes, limitedToDownline: true } }))) return null;
    }
    return held;
  };
  return { may: useMay("write:roles"), of, problems: create.problems };
}

/** Makes a user, or changes what one may do. */
function EditUser({ user, onClose }: { user: User | null; onClose: () => void }) {
  const { data } = useAnswer(RolesDocument, {}, !useMay("read:roles"));
  const create = useAction(UserCreateDocument);
  const update = useAction(UserUpdateDocument);
  const [username, setUsername] = useState(user?.username ?? "");
  const [email, setEmail] = useState(user?.email ?? "");
  const [agentCode, setAgentCode] = useState(user?.agentCode ?? "");
  const [password, setPassword] = useState("");
  const [roles, setRoles] = useState(user?.roles.map((r) => r.name) ?? []);
  const [isPart, setPart] = useState(false);
  const [why, reason] = useReason();
  const twins = useTwins(data?.roles.nodes ?? []);
  const limited = data?.roles.nodes.filter((r) => r.limitedToDownline && roles.includes(r.name)).map((r) => r.name) ?? [];
  const end = useAction(UserSessionsEndDocument);
  const [ended, setEnded] = useState(false);
  const [asked, setAsked] = useState(false);
  const signOut = async (why: Given) => {
    if (user && (await end.run({ username: user.username, ...why }))) setEnded(true);
  };
  const save = async (status: "APPROVED" | "PENDING") => {
    const held = isPart ? await twins.of(roles) : roles;
    if (!held) return;
    const given = { roles: held, status, email: email.trim() || null, agentCode: agentCode || null, ...(password ? { password } : {}), ...why };
    const done = user ? await update.run({ known: [user.lastModified], input: { username: user.username, ...given } }) : await create.run({ input: { username, ...given } });
    if (done) onClose();
  };
  return (
    <Dialog onClose={onClose} title={user ? `Change ${user.username}` : "New user"}>
      <Stack>
        {!user && <TextInput label="Username" required value={username} onChange={(e) => setUsername(e.currentTarget.value)} />}
        <TextInput label="E-mail" type="email" value={email} onChange={(e) => setEmail(e.currentTarget.value)} />
        <AgentPicker label="Agent" initial={agentCode} onPick={setAgentCode} />
        <Text size="xs" c="dimmed">
          {limited.length > 0 ? `With the role ${limited.join(" or ")} and no wider one, the user sees this agent and everybody below, only.` : "The agent that the user is. A role that is limited to its downline shows that agent and everybody below, only."}
        </Text>
        <ChooseMany label="Roles" data={data?.roles.nodes.map((r) => r.name) ?? roles} value={roles} onChange={setRoles} />
        {twins.may && <Checkbox label="Sees this agent and everybody below, only" description="Gives each role in a form of its own that is limited to the downline, and makes it where the agency has none" checked={isPart} disabled={!agentCode || roles.length === 0} onChange={(e) => setPart(e.currentTarget.checked)} />}
        <PasswordInput label={user ? "New password" : "Password"} description={user ? "Ends the sessions of the user" : undefined} value={password} onChange={(e) => setPassword(e.currentTarget.value)} autoComplete="new-password" visibilityToggleButtonProps={{ "aria-label": "Show the password" }} />
        {reason}
        <Problems problems={[...create.problems, ...update.problems, ...end.problems, ...twins.problems]} />
        <Group justify="flex-end">
          {user && (
            <Button variant="subtle" color="red" mr="auto" disabled={ended} loading={end.busy} onClick={() => setAsked(true)}>
              {ended ? "Signed out everywhere" : "Sign out everywhere"}
            </Button>
          )}
          <Button variant="default" loading={update.busy || create.busy} onClick={() => void save("PENDING")}>
            Save as pending
          </Button>
          <Button loading={update.busy || create.busy} onClick={() => void save("APPROVED")}>
            Save as approved
          </Button>
        </Group>
      </Stack>
      {user && asked && (
        <Confirm title={`Sign ${user.username} out everywhere`} yes="Sign out" danger onClose={() => setAsked(false)} onYes={(why) => void signOut(why)}>
          Ends the sessions of {user.username} in every browser, and what programs may do in that name.
        </Confirm>
      )}
    </Dialog>
  );
}
