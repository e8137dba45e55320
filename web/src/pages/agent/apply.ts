import type { TypedDocumentNode } from "@graphql-typed-document-node/core";
import { type ChangeFragment, type CertificationStatus, CertificationApplyDocument, LevelApplyDocument, PayStatusApplyDocument, type RefusalFragment, UplineApplyDocument } from "../../gql";
import type { Subject } from "./lanes";

/** A period as it is asked for. */
export interface Wanted {
  value: string;
  from: string;
  through: string | null;
  /** Why; empty for no reason. */
  reason: string;
}

interface Applied {
  change: { changes: ChangeFragment | null; userErrors: RefusalFragment[]; applied: boolean };
}

type Variables = Record<string, unknown>;

export interface Request {
  mutation: TypedDocumentNode<Applied, Variables>;
  variables: (wanted: Wanted, dryRun: boolean) => Variables;
}

/** Lets the mutations, which differ in their variables only, be sent alike. */
function request<V extends object>(mutation: TypedDocumentNode<Applied, V>, variables: (wanted: Wanted, dryRun: boolean) => V): Request {
  return { mutation: mutation as unknown as TypedDocumentNode<Applied, Variables>, variables: variables as Request["variables"] };
}

/** How a period of a lane is changed. */
export function requestFor(subject: Exclude<Subject, { kind: "w9" }>, known: string, agentCode: string, initiator: string): Request {
  const period = (w: Wanted) => ({ effectiveFrom: w.from, effectiveThrough: w.through, initiator, ...(w.reason.trim() && { reason: w.reason.trim() }) });
  switch (subject.kind) {
    case "payStatus":
      return request(PayStatusApplyDocument, (w, dryRun) => ({ known, input: { agentCode, status: w.value, ...period(w) }, dryRun }));
    case "upline":
      return request(UplineApplyDocument, (w, dryRun) => ({ known, input: { agentCode, uplineAgentCode: w.value || null, ...period(w) }, dryRun }));
    case "level":
      return request(LevelApplyDocument, (w, dryRun) => ({ known, input: { agentCode, level: Number(w.value), ...period(w) }, dryRun }));
    case "certification":
      return request(CertificationApplyDocument, (w, dryRun) => ({ known, input: { certificationId: subject.id, status: w.value as CertificationStatus, ...period(w) }, dryRun }));
  }
}
