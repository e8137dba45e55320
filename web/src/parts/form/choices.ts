import { useAnswer } from "../../api/answer";
import { useMay, useViewer } from "../../app/context";
import { EventTypesDocument, ReferenceDocument, RolesDocument } from "../../gql";
import type { InputField } from "../../inputs";
import { eventOf, stateOf } from "../words";

export interface Choice {
  value: string;
  label: string;
}

/** What a field takes its values from, by its name; a name of one type alone has that before it. */
const sources = {
  status: "payStatuses",
  jurisdiction: "jurisdictions",
  type: "types",
  "ApplicationLicenseInput.type": null, // need not be a type of the agency
  providerCompany: "companies",
  level: "levels",
  agentLevelValue: "levels",
  scopes: "scopes",
  roles: "roles",
  events: "events",
} as const;

export const sourceOf = (type: string, f: InputField) => {
  const own = `${type}.${f.name}` as keyof typeof sources;
  return f.of || f.choices ? null : own in sources ? sources[own] : (sources[f.name as keyof typeof sources] ?? null);
};

/** Events by their names, and all of each area. */
const eventChoices = (names: string[]): Choice[] => [...new Set(names.map((name) => `${name.slice(0, name.lastIndexOf("."))}.*`)), ...names].map((value) => ({ value, label: eventOf(value) }));

/** The values that a field can have; null where the schema and the agency leave it open. */
export function useChoices(type: string, f: InputField): Choice[] | null {
  const source = sourceOf(type, f);
  const { scopes } = useViewer();
  const mayReadAgents = useMay("read:agents");
  const mayReadRoles = useMay("read:roles");
  const named = (all: { code: string; name: string }[] | undefined) => (all ?? []).map((one) => ({ value: one.code, label: one.name }));
  const states = (all: { code: string; name: string }[] | undefined) => (all ?? []).map((one) => ({ value: one.code, label: `${one.name} · ${stateOf(one.code)}` }));
  const plain = (all: Iterable<string>) => [...all].map((one) => ({ value: one, label: one }));
  const isReference = source !== null && !["scopes", "roles", "events"].includes(source);
  const { data } = useAnswer(ReferenceDocument, {}, !isReference || !mayReadAgents);
  const roles = useAnswer(RolesDocument, {}, source !== "roles" || !mayReadRoles).data;
  const events = useAnswer(EventTypesDocument, {}, source !== "events").data;
  switch (source) {
    case null:
      return null;
    case "payStatuses":
      return plain((data?.payStatuses ?? []).map((s) => s.name));
    case "levels":
      return (data?.agentLevels ?? []).map((l) => ({ value: String(l.value), label: l.name }));
    case "jurisdictions":
      return states(data?.jurisdictions);
    case "types":
      return named(data?.certificationTypes);
    case "companies":
      return named(data?.providerCompanies);
    case "scopes":
      return plain([...scopes].sort());
    case "roles":
      return plain((roles?.roles.nodes ?? []).map((r) => r.name));
    case "events":
      return eventChoices((events?.webhookEventTypes ?? []).map((e) => e.name));
  }
}
