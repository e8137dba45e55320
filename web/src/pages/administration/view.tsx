import { Tabs } from "@mantine/core";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMay } from "../../app/context";
import { Page } from "../../parts/page";
import { Audit } from "./audit";
import { Clients } from "./clients";
import { Settings } from "./settings";
import { Providers } from "./providers";
import { Reference } from "./reference";
import { Roles } from "./roles";
import { Users } from "./users";

/** The page of users, roles, clients, reference data and the audit trail, as far as the caller may read them. */
export function View() {
  const { tab } = useSearch({ strict: false }) as { tab?: string };
  const navigate = useNavigate();
  const tabs = [
    { value: "users", label: "Users", may: useMay("read:users"), content: <Users /> },
    { value: "roles", label: "Roles", may: useMay("read:roles"), content: <Roles /> },
    { value: "providers", label: "Sign-in", may: useMay("read:users"), content: <Providers /> },
    { value: "clients", label: "Clients and keys", may: useMay("read:clients"), content: <Clients /> },
    { value: "reference", label: "Reference data", may: useMay("read:agents"), content: <Reference /> },
    { value: "audit", label: "Audit trail", may: useMay("read:agents"), content: <Audit /> },
    { value: "settings", label: "Settings", may: true, content: <Settings /> },
  ].filter((t) => t.may);
  const chosen = tabs.find((t) => t.value === tab) ?? tabs[0]!;
  return (
    <Page title="Administration">
      <Tabs value={chosen.value} onChange={(to) => to && void navigate({ to: ".", search: ((old: object) => ({ ...old, tab: to })) as never })} keepMounted={false}>
        <Tabs.List mb="sm">
          {tabs.map((t) => (
            <Tabs.Tab key={t.value} value={t.value}>
              {t.label}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {tabs.map((t) => (
          <Tabs.Panel key={t.value} value={t.value}>
            {t.content}
          </Tabs.Panel>
        ))}
      </Tabs>
    </Page>
  );
}
