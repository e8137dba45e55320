// What a write did, in words, by the name of its mutation.
import { labelOf } from "./form/names";

const verbs: Record<string, string> = {
  Register: "registered", Create: "added", Upsert: "saved", Update: "changed", Apply: "changed", Replace: "replaced", Delete: "deleted", Add: "added", Remove: "removed", Record: "recorded",
  Submit: "submitted", Hold: "put on hold", Resume: "resumed", Paid: "marked paid", Process: "processed", Reject: "rejected", Publish: "published", Retire: "retired", Revoke: "revoked", End: "ended",
};

const others: Record<string, string> = {
  presetCreate: "kept",
  presetReplace: "kept",
  presetDelete: "deleted what was kept",
  reorgApply: "reorganised the hierarchy",
  bulkImport: "imported a file",
  changeUndo: "took a change back",
  agentPayeeUpdate: "changed who is paid, and how",
  clientRotateSecret: "made a new secret",
  webhookSubscriptionRotateSecret: "made a new secret",
  webhookTest: "sent a test",
  webhookReplay: "sent events again",
  webhookDeliveryRetry: "sent a delivery again",
  applicationMarkPaid: "marked an application paid",
  applicationApproveBackground: "decided on a background",
};

/** Such as changed the agent contact, of agentContactUpdate. */
export function didOf(operation: string): string {
  if (others[operation]) return others[operation];
  const [, noun, verb] = /^(.*?)([A-Z][a-z]*)$/.exec(operation) ?? [];
  return noun && verb && verbs[verb] ? `${verbs[verb]} the ${labelOf(noun).replace(/^[A-Z](?![A-Z])/, (c) => c.toLowerCase())}` : operation;
}

/** Whether a write made or deleted what it is about: such a one is not a change of fields. */
export const isWhole = (operation: string) => /(Register|Create|Delete|Record|Add|Remove)$/.test(operation);

/** What is deleted again when its making is taken back, and the other way round. */
const whole = /^((tag|product|certificationType|jurisdiction|payStatus|agentLevel|role)(Create|Delete)|alias(Create|Delete)|agentRegister)$/;

/** Whether the server can take a write back (changeUndo). */
export const isUndoable = (operation: string) => whole.test(operation) || (!/^(webhook|tenantSettings|production|productRule|app|signIn)/.test(operation) && /(Update|Apply|Upsert|bulkImport)$/.test(operation));

const keys = ["agentCode", "code", "name", "username", "clientId", "url", "value", "policyNumber"];

/** What a write is about: the key that its input has. */
export const keyOf = (input: Record<string, unknown> | undefined) => keys.map((key) => input?.[key]).find((key) => key !== undefined && key !== null);
