import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { Group, Stack } from "@mantine/core";
import { useAnswer } from "../../api/answer";
import { useMay } from "../../app/context";
import * as gql from "../../gql";
import { Cell } from "../../parts/cell";
import { Part } from "../../parts/facts";
import { DeleteMenu, FormButton } from "../../parts/form/form";
import { Rows } from "../../parts/rows";
import { Failure, Loading } from "../../parts/states";
import { labelOf } from "../../parts/words";

// What each form sends differs: the form reads it of its document.
type Document = TypedDocumentNode<{ change: { userErrors: gql.RefusalFragment[]; applied: boolean } }, never>;

interface Kind {
  list: keyof gql.ReferenceDataQuery;
  title: string;
  one: string;
  key: string;
  columns: string[];
  create: unknown;
  update: unknown;
  remove?: unknown;
}

/** What the agency's records are made of; a kind is a line. */
const kinds: Kind[] = [
  { list: "payStatuses", title: "Pay statuses", one: "pay status", key: "name", columns: ["name", "description", "isActive", "canBePaid", "sortOrder"], create: gql.PayStatusCreateDocument, update: gql.PayStatusUpdateDocument, remove: gql.PayStatusDeleteDocument },
  { list: "agentLevels", title: "Levels", one: "level", key: "value", columns: ["value", "name", "description", "isEnabled"], create: gql.AgentLevelCreateDocument, update: gql.AgentLevelUpdateDocument, remove: gql.AgentLevelDeleteDocument },
  { list: "tags", title: "Tags", one: "tag", key: "name", columns: ["name", "description", "color", "assignedCount"], create: gql.TagCreateDocument, update: gql.TagUpdateDocument, remove: gql.TagDeleteDocument },
  { list: "certificationTypes", title: "Types of certifications", one: "type of certification", key: "code", columns: ["code", "name", "category", "requiresJurisdiction", "requiresProviderCompany", "isEnabled"], create: gql.CertificationTypeCreateDocument, update: gql.CertificationTypeUpdateDocument, remove: gql.CertificationTypeDeleteDocument },
  { list: "providerCompanies", title: "Provider companies", one: "provider company", key: "code", columns: ["code", "name", "naicCode", "isEnabled"], create: gql.ProviderCompanyUpsertDocument, update: gql.ProviderCompanyChangeDocument },
  { list: "jurisdictions", title: "Jurisdictions", one: "jurisdiction", key: "code", columns: ["code", "name", "country", "kind", "isEnabled"], create: gql.JurisdictionCreateDocument, update: gql.JurisdictionUpdateDocument, remove: gql.JurisdictionDeleteDocument },
];

/** What records are chosen from: levels, pay statuses, types, companies, tags, jurisdictions. */
export function Reference() {
  const may = useMay("write:agents");
  const { data, error, loading } = useAnswer(gql.ReferenceDataDocument, {});
  return (
    <Stack gap="sm">
      {error && <Failure error={error} />}
      {loading && <Loading what="reference data" />}
      {data && kinds.map((kind) => <OneKind key={kind.list} kind={kind} records={data[kind.list] as unknown as Record<string, unknown>[]} may={may} />)}
    </Stack>
  );
}

function OneKind({ kind: k, records, may }: { kind: Kind; records: Record<string, unknown>[]; may: boolean }) {
  return (
    <Part title={k.title} actions={may && <FormButton label="New" name={`New ${k.one}`} title={`New ${k.one}`} document={k.create as Document} />}>
      <Rows
        label={k.title}
        head={[...k.columns.map(labelOf), ""]}
        rows={records.map((r) => ({ key: String(r[k.key]), cells: [...k.columns.map((c) => (c === k.key ? <span key={c} data-own>{String(r[c])}</span> : <Cell key={c} value={r[c]} kind={typeof r[c] === "boolean" ? "flag" : undefined} />)), may && <Change key="change" kind={k} record={r} />] }))}
      />
    </Part>
  );
}

function Change({ kind: k, record }: { kind: Kind; record: Record<string, unknown> }) {
  const key = String(record[k.key]);
  const name = String(record.name ?? key);
  const of = { fixed: { [k.key]: record[k.key] }, known: String(record.lastModified) };
  return (
    <Group gap={4} wrap="nowrap" justify="flex-end">
      <FormButton label="Change" name={`Change the ${k.one} ${name}`} title={`Change ${name}`} document={k.update as Document} record={record} {...of} />
      {k.remove !== undefined && (
        <DeleteMenu of={`the ${k.one} ${name}`} document={k.remove as Document} confirm={name} {...of}>
          It is gone for good. What is in use is not deleted.
        </DeleteMenu>
      )}
    </Group>
  );
}
