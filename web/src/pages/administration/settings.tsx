import { Autocomplete, Button, Group, NumberInput, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useState } from "react";
import { useAction, useAnswer } from "../../api/answer";
import { useMay, useViewer } from "../../app/context";
import { type SettingsFragment, TenantSettingsDocument, TenantSettingsUpdateDocument } from "../../gql";
import { Choose } from "../../parts/choose";
import { Facts, Part } from "../../parts/facts";
import { formatDay } from "../../parts/format";
import { useReason } from "../../parts/reason";
import { Failure, Loading, Problems } from "../../parts/states";
import { words } from "../../parts/words";

/** What holds in the whole agency. */
export function Settings() {
  const v = useViewer();
  const may = useMay("write:settings");
  const { data, error, loading } = useAnswer(TenantSettingsDocument, {});
  const settings = data?.tenantSettings;
  return (
    <Stack gap="sm" maw={640}>
      {error && <Failure error={error} />}
      {loading && <Loading what="the settings" />}
      {settings && (
        <Part title={settings.name}>
          <Facts
            facts={[
              ["Identifier", v.tenant],
              ["Today there", formatDay(v.today)],
              ["History", `${formatDay(v.first)} – ${formatDay(v.last)}`],
              ...(may ? [] : fixed(settings)),
            ]}
          />
        </Part>
      )}
      {settings && may && <Change settings={settings} />}
      <Text size="xs" c="dimmed">
        The identifier, the master agency, and how long events are kept are the operator's.
      </Text>
    </Stack>
  );
}

const fixed = (s: SettingsFragment): [string, string][] => [
  ["Time zone", s.timeZone],
  ["Rows in a page", `${s.defaultPageSize}, ${s.maxPageSize} at most`],
  ["Sensitive values", s.maskSensitive ? "masked at every door" : "shown to REST and to who reveals them"],
  ["New users are", words(s.defaultUserStatus)],
  ["Old values", s.valuesKeptYears ? `kept for ${s.valuesKeptYears} years` : "kept for ever"],
  ["Passwords", s.passwordSignIn ? `${s.minPasswordLength} characters at least` : "do not count: people sign in with a provider"],
];

const statuses = [
  { value: "PENDING", label: "Pending" },
  { value: "APPROVED", label: "Approved" },
];

type Numbers = "defaultPageSize" | "maxPageSize" | "minPasswordLength" | "valuesKeptYears";
/** The settings as they are typed: a number may be missing meanwhile. */
type Typed = Omit<SettingsFragment, Numbers> & Record<Numbers, number | "">;

interface WholeProps {
  label: string;
  description?: string;
  min: number;
  max: number;
  value: number | "";
  onChange: (n: number | "") => void;
}

/** A whole number. One that was cleared is none, and cannot be saved. */
const Whole = ({ value, onChange, ...props }: WholeProps) => <NumberInput {...props} allowDecimal={false} value={value} onChange={(n) => onChange(n === "" ? "" : Number(n))} error={value === "" && `A number from ${props.min} to ${props.max}`} />;

/** Changes settings. What follows from them, such as the day, is read anew with the page. */
function Change({ settings }: { settings: SettingsFragment }) {
  // What is typed is a change of these, whatever is read meanwhile.
  const [shown] = useState(settings);
  const [s, setS] = useState<Typed>(shown);
  const [why, reason] = useReason();
  const update = useAction(TenantSettingsUpdateDocument, "live");
  const set = (changed: Partial<Typed>) => setS({ ...s, ...changed });
  const changed = Object.entries(s).filter(([name, value]) => value !== shown[name as keyof SettingsFragment]);
  const save = async () => (await update.run({ known: [shown.lastModified], input: { ...Object.fromEntries(changed), ...why } })) && location.reload();
  return (
    <Part title="Change the settings">
      <Stack gap="sm">
        <TextInput label="Name" value={s.name} onChange={(e) => set({ name: e.currentTarget.value })} />
        <Autocomplete label="Time zone" description="Decides which day is today" data={Intl.supportedValuesOf("timeZone")} limit={50} value={s.timeZone} onChange={(timeZone) => set({ timeZone })} />
        <Group grow align="flex-start">
          <Whole label="Rows in a page" min={1} max={100} value={s.defaultPageSize} onChange={(n) => set({ defaultPageSize: n })} />
          <Whole label="At most" min={1} max={100} value={s.maxPageSize} onChange={(n) => set({ maxPageSize: n })} />
        </Group>
        <Group grow align="flex-start">
          <Choose label="New users are" description="Pending ones cannot sign in yet" data={statuses} value={s.defaultUserStatus} onChange={(v) => set({ defaultUserStatus: v as SettingsFragment["defaultUserStatus"] })} />
          <Whole label="Characters of a password" description="At least; 15 is recommended" min={8} max={64} value={s.minPasswordLength} onChange={(n) => set({ minPasswordLength: n })} />
        </Group>
        <Whole label="Years for which old values are kept" description="What names, contacts and other values without periods were before; 0 is for ever. Older ones are deleted within a day, and cannot be had again" min={0} max={100} value={s.valuesKeptYears} onChange={(n) => set({ valuesKeptYears: n })} />
        <Switch label="Mask sensitive values at every door" description="Whoever has no right to see them in full sees them nowhere then, through no door" checked={s.maskSensitive} onChange={(e) => set({ maskSensitive: e.currentTarget.checked })} />
        <Switch label="People sign in with passwords, too" description="Turned off, all that began with a password ends, and sign-in providers alone let people in" checked={s.passwordSignIn} onChange={(e) => set({ passwordSignIn: e.currentTarget.checked })} />
        {reason}
        <Problems problems={update.problems} />
        <Group justify="flex-end">
          <Button loading={update.busy} disabled={changed.length === 0 || changed.some(([, value]) => value === "")} onClick={() => void save()}>
            Save
          </Button>
        </Group>
      </Stack>
    </Part>
  );
}
