import { Alert, Button, Code, Group, Stack, Switch, TagsInput, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import { RolesDocument, SignInProviderCheckDocument, SignInProviderCreateDocument, SignInProviderDeleteDocument, SignInProvidersDocument, type SignInProvidersQuery, SignInProviderUpdateDocument } from "../../gql";
import { Confirm } from "../../parts/confirm";
import { Dialog } from "../../parts/dialog";
import { Facts, Part } from "../../parts/facts";
import { More } from "../../parts/more";
import { type Given, useReason } from "../../parts/reason";
import { Failure, Loading, Problems } from "../../parts/states";
import { Status } from "../../parts/status";

type Provider = SignInProvidersQuery["signInProviders"][number];

/** The OpenID providers with which people sign in, and what each needs to be told. */
export function Providers() {
  const { data, error, loading } = useAnswer(SignInProvidersDocument, {});
  const may = useMay("write:users");
  const [edited, setEdited] = useState<Provider | "new" | null>(null);
  return (
    <Stack gap="sm">
      {error && <Failure error={error} />}
      {loading && <Loading what="sign-in providers" />}
      {may && (
        <Group>
          <Button size="xs" onClick={() => setEdited("new")}>
            New provider
          </Button>
        </Group>
      )}
      {data?.signInProviders.length === 0 && <Text size="sm">People sign in with passwords alone. A provider, such as Okta, Entra, Google or Keycloak, lets them sign in as they do elsewhere.</Text>}
      {data?.signInProviders.map((p) => (
        <One key={p.name} provider={p} onChange={() => setEdited(p)} />
      ))}
      {edited && <Edit provider={edited === "new" ? null : edited} onClose={() => setEdited(null)} />}
    </Stack>
  );
}

function One({ provider: p, onChange }: { provider: Provider; onChange: () => void }) {
  const may = useMay("write:users");
  const update = useAction(SignInProviderUpdateDocument);
  const remove = useAction(SignInProviderDeleteDocument);
  const [asked, setAsked] = useState(false);
  const [tried, setTried] = useState(false);
  const known = [p.lastModified];
  const button = { size: "compact-xs" as const, variant: "default" as const };
  const disable = (isDisabled: boolean, why: Given = {}) => void update.run({ known, input: { name: p.name, isDisabled, ...why } });
  const sure = (what: string, yes: string, onClose: () => void, onYes: (why: Given) => void) => (
    <Confirm title={`${what} ${p.label}`} yes={yes} danger onClose={onClose} onYes={onYes}>
      Everybody who signed in with it is signed out, everywhere.
    </Confirm>
  );
  return (
    <Part
      title={p.label}
      actions={
        may && (
          <Group gap="xs">
            <Button {...button} onClick={() => setTried(!tried)} aria-expanded={tried}>
              Test the connection
            </Button>
            <Button {...button} onClick={onChange} aria-label={`Change ${p.label}`}>
              Change
            </Button>
            <Button {...button} loading={update.busy} onClick={() => (p.isDisabled ? disable(false) : setAsked(true))}>
              {p.isDisabled ? "Enable" : "Disable"}
            </Button>
            <More isSmall label={`More of ${p.label}`} items={[{ label: `Delete ${p.label}`, isDanger: true, dialog: (onClose) => sure("Delete", "Delete the provider", onClose, (why) => void remove.run({ known, name: p.name, ...why })) }]} />
          </Group>
        )
      }
    >
      <Status tone={p.isDisabled ? "bad" : "good"}>{p.isDisabled ? "Disabled" : "Enabled"}</Status>
      {tried && <Tried name={p.name} />}
      <Facts
        facts={[
          ["Issuer", p.issuer],
          ["Client id", p.clientId],
          ["Redirect URI, for the provider", <Code key="r">{p.redirectUri}</Code>],
          ["Back-channel logout, for the provider", <Code key="l">{p.logoutUri}</Code>],
          ["E-mail domains", p.domains.join(", ")],
          ["New people", p.createsUsers ? "become Approved users" : "are refused until somebody adds them"],
          ["Groups", p.roles.map((g) => `${g.group}: ${g.role}`).join(", ")],
        ]}
      />
      <Problems problems={[...update.problems, ...remove.problems]} />
      {asked && sure("Disable", "Disable", () => setAsked(false), (why) => disable(true, why))}
    </Part>
  );
}

/** What came of trying a provider out, step by step. */
function Tried({ name }: { name: string }) {
  const { data, error, loading } = useAnswer(SignInProviderCheckDocument, { name });
  if (error) return <Failure error={error} />;
  if (loading || !data) return <Loading what="the provider's answer" />;
  const isOk = data.signInProviderCheck.every((f) => f.isOk);
  return (
    <Alert my="xs" variant="outline" color={isOk ? "green" : "red"} title={isOk ? "What can be tried without signing in works" : "People cannot sign in with it"}>
      {data.signInProviderCheck.map((f) => (
        <Text size="sm" key={f.step}>
          {f.isOk ? "✓" : "✗"} {f.step}. {f.text}
        </Text>
      ))}
    </Alert>
  );
}

const group = (typed: string) => typed.slice(0, typed.lastIndexOf(":")).trim();
const role = (typed: string) => typed.slice(typed.lastIndexOf(":") + 1).trim();

/** Adds or changes a provider. Our secret there is typed, and never shown. */
function Edit({ provider, onClose }: { provider: Provider | null; onClose: () => void }) {
  const create = useAction(SignInProviderCreateDocument);
  const update = useAction(SignInProviderUpdateDocument);
  const roles = useAnswer(RolesDocument, {}).data?.roles.nodes ?? [];
  const [s, setS] = useState({ name: "", label: "", issuer: "", clientId: "", clientSecret: "", domains: [] as string[], groupsClaim: "groups", createsUsers: false, ...provider });
  const [groups, setGroups] = useState(provider?.roles.map((g) => `${g.group}: ${g.role}`) ?? []);
  const set = (changed: Partial<typeof s>) => setS({ ...s, ...changed });
  const [why, reason] = useReason();
  const secret = s.clientSecret ? { clientSecret: s.clientSecret } : {};
  const common = { label: s.label || s.name, domains: s.domains, groupsClaim: s.groupsClaim, createsUsers: s.createsUsers, roles: groups.map((g) => ({ group: group(g), role: role(g) })), ...secret, ...why };
  const save = async () => {
    const done = provider ? await update.run({ known: [provider.lastModified], input: { name: provider.name, ...common } }) : await create.run({ input: { name: s.name, issuer: s.issuer, clientId: s.clientId, ...common } });
    if (done) onClose();
  };
  return (
    <Dialog onClose={onClose} title={provider ? `Change ${provider.label}` : "New sign-in provider"} size="lg">
      <Stack>
        {!provider && (
          <>
            <TextInput label="Name" description="In addresses: lower-case letters, digits, dashes" required value={s.name} onChange={(e) => set({ name: e.currentTarget.value })} />
            <TextInput label="Issuer" description="Its own address, such as https://acme.okta.com" required value={s.issuer} onChange={(e) => set({ issuer: e.currentTarget.value })} />
            <TextInput label="Client id" required value={s.clientId} onChange={(e) => set({ clientId: e.currentTarget.value })} />
          </>
        )}
        <TextInput label="Client secret" description={provider?.hasSecret ? "Empty keeps the one there is" : "As the provider gave it; it is never shown again"} type="password" autoComplete="off" value={s.clientSecret} onChange={(e) => set({ clientSecret: e.currentTarget.value })} />
        <TextInput label="On the sign-in page" value={s.label} onChange={(e) => set({ label: e.currentTarget.value })} />
        <TagsInput label="E-mail domains" description="They lead to it, and it may vouch for their addresses" value={s.domains} onChange={(domains) => set({ domains })} />
        <TextInput label="Claim with groups" value={s.groupsClaim} onChange={(e) => set({ groupsClaim: e.currentTarget.value })} />
        <TagsInput label="Groups and their roles" description={`As group: role, of ${roles.map((r) => r.name).join(", ")}. At each sign-in people get the roles of their groups, and lose the other roles here`} value={groups} onChange={setGroups} />
        <Switch label="People who are new here become Approved users" checked={s.createsUsers} onChange={(e) => set({ createsUsers: e.currentTarget.checked })} />
        {reason}
        <Problems problems={[...create.problems, ...update.problems]} />
        <Group justify="flex-end">
          <Button loading={create.busy || update.busy} onClick={() => void save()}>
            Save
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
