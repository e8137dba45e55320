// The words of the office: the one table of what the values, fields, objects, changes and
// doors of the API are called, on every page. What stands here is not its own name in words.

import { enums } from "../enums";

/** Values of enumerations. */
const values: Record<string, string> = {
  ASKED: "Is asked", COMMENTED: "Has commented", APPROVED: "Approved", DECLINED: "Declined", AUTHORIZED: "May sell", NOT_AUTHORIZED: "May not sell", NO_REQUIREMENTS: "No rule says what it takes", WRONG_RESIDENCE: "Not a resident licence",
  NO_W9: "No W9", NO_DIRECT_DEPOSIT: "No bank account", PAY_STATUS_CANNOT_BE_PAID: "A pay status that is not paid",
  FUTURE_PERIODS_REMOVED: "Later periods are removed", SPLIT_SAME_VALUE: "The same value twice", BACKDATED_BEFORE_TODAY: "It begins before today", GAP_BEFORE_PERIOD: "Days without a value before it", AFFECTS_COMMISSION_ELIGIBILITY: "Commissions are paid otherwise", HIERARCHY_REBUILD_REQUIRED: "Everybody below moves along",
  C_CORPORATION: "C corporation", S_CORPORATION: "S corporation", TRUST_ESTATE: "Trust or estate", LLC: "Limited liability company", LLC_C: "Limited liability company, taxed as a C corporation", LLC_S: "Limited liability company, taxed as an S corporation", LLC_P: "Limited liability company, taxed as a partnership",
  NON_BINARY: "Non-binary", UNSPECIFIED: "Not said", BOOLEAN: "Yes or no", SINGLE_CHOICE: "One of several choices",
  US: "United States", CA: "Canada", LICENSE: "Licence", SIGN_IN: "the sign-in page", COMMAND_LINE: "the command line", SYSTEM: "the service itself", GRAPHQL: "GraphQL", REST: "REST", MCP: "an assistant",
  W9_PERIOD: "W9 period", CSV: "CSV", XLSX: "XLSX", JSONL: "JSON, line by line", OFF: "Run", LOG: "Run, and are logged", ENFORCE: "Are refused",
};

/** Fields, by their names; a path has its own where it is called otherwise than elsewhere. */
const fields: Record<string, string> = {
  npn: "NPN", url: "Address", naicCode: "NAIC code", ssn: "SSN", ein: "EIN", w9: "W9", line1: "Street", line2: "Street, second line", address1: "Street", address2: "Street, second line", streetAddress: "Street", zipCode: "ZIP code", postalCode: "ZIP or postal code",
  directUpline: "Upline", directUplineCode: "Upline", uplineAgentCode: "Upline", newUplineAgentCode: "Upline of those below", recruiterAgentCode: "Recruiter", redirectUris: "Redirect addresses", directDeposit: "Bank account", apiKey: "Key",
  email: "E-mail", emailAddress: "E-mail", governmentIdentifier: "Tax id", taxpayerIdentifier: "Tax id", taxId: "Tax id", customerId: "Customer number", commonName: "Goes by", startDate: "Started", birthDate: "Born", areaCode: "Area code", phoneNumber: "Number",
  accountHolderName: "Account holder", bankName: "Bank", exemptPayee: "Exempt payee code", accountNumbers: "Account numbers", signatureDate: "Signed on", taxClassification: "Classification",
  isResidentCertification: "Resident", isResident: "Resident", identifier: "Number", effectiveFrom: "From", effectiveThrough: "Through", recordedAt: "Recorded", recordedBy: "By", lastModified: "Changed", createdAt: "Added", createdBy: "By", assignedAt: "Assigned", assignedBy: "By", daysRemaining: "Days left", providerCompany: "Company",
  dedicated: "Dedicated", agentLevelValue: "Level", level: "Level", selectedProductId: "Product that was bought", orderId: "Order", cartId: "Cart", licenses: "Licences", licenseNumber: "Licence number", employment: "Employment", hasNonCompete: "Has a non-compete clause", employedHere: "Employed now", isCurrentlyEmployed: "Employed now", isCurrentlyLicensed: "Licensed now", mayContact: "May be asked", contentItemVersionId: "Question", responseValue: "Answer", versionId: "Version", clientIpAddress: "Address of the computer", llcClassification: "Taxed as", otherClassification: "Classification in words",
  isPublic: "Keeps no secret", isDisabled: "Disabled", publicKeys: "Public keys", clientId: "Client", trustedDocuments: "Queries beside its trusted documents", maxRetries: "Attempts", retryDelayMinutes: "Minutes between attempts", isOrdered: "In order", scopes: "Rights", sortOrder: "Place in lists", requiresJurisdiction: "Takes a jurisdiction", requiresProviderCompany: "Takes a company", canBePaid: "Is paid", assignedCount: "Agents", requiresPayment: "Payment",
  submittedOn: "Submitted", issuedOn: "Issued", placedOn: "Placed", paidOn: "Paid on", expiresOn: "Ends on", expiresAt: "Ends",
  uplinePeriods: "Upline", levelPeriods: "Level", payStatusPeriods: "Pay status", w9Periods: "W9", certificationPeriods: "Certification", periods: "Status", teams: "Team", payStatus: "Pay status",
  displayName: "Name", "agent.agentCode": "Agent", "membership.directUpline.displayName": "Name of the upline", "homeAddress.jurisdiction": "Home", "agent.membership.directUplineCode": "Upline", "level.value": "Level",
  reason: "Reason, kept with the change",
  "AddressInput.jurisdiction": "State or province", "ApplicationAddressInput.jurisdiction": "State or province", "ProductionRecordUpsertInput.jurisdiction": "State",
};

/** Columns of files that are no fields, or that need more than the field's name there. */
const columns: Record<string, string> = {
  "agent.any": "Agent, by code, NPN, e-mail or name", "agent.name": "Agent, by name", "agent.alias": "Agent, by alias or writing number", "agent.company": "Agent, company of the alias",
  "upline.any": "Upline, by code, NPN, e-mail or name", "upline.name": "Upline, by name", "upline.alias": "Upline, by alias or writing number", uplineAgentCode: "Upline, agent code", "teams.default.directUpline": "Upline, agent code",
  "teams.default.level": "Level", changesFrom: "Changes take effect on", fullName: "Whole name", identifier: "Number of the licence or certification", issueDate: "Issued on", expirationDate: "Expires on", statusDate: "Has the status since",
};

/** What a thing is called when something was done to it, where its name says it otherwise. */
const objects: Record<string, string> = { apiKey: "key", signInProvider: "sign-in provider", webhookSubscription: "subscription", tenantSettings: "settings", appConfiguration: "configuration", agentPayee: "payee" };

const lower = (text: string) => text.replace(/^[A-Z](?![A-Z0-9])/, (c) => c.toLowerCase());
const isIndex = (part: string) => /^\d+$/.test(part);
const apart = (name: string) => name.replace(/([A-Z]+(?![a-z])\d*|[A-Z])/g, " $1").trim();

/** REGULATORY_SUSPENSION as people write it. A value that this server does not know reads as unknown. */
export function words(name: string | null): string {
  if (name === null) return "Unknown";
  if (values[name]) return values[name];
  const text = name.replaceAll("_", " ").toLowerCase();
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Whether a text is a value of an enumeration; several are separated by commas. */
const isValues = (text: string) => text.split(", ").every((one) => one.length > 3 && (enums.has(one) || /^[A-Z0-9]+(_[A-Z0-9]+)+$/.test(one)));

/** A text of the agency as it is; a value of an enumeration in words. */
export const shownOf = (text: string) => (isValues(text) ? text.split(", ").map(words).join(", ") : text);

/** The name of a field, or of a path, whose last part says what it is: First name of firstName, Level of membership.level.name. */
export function labelOf(path: string): string {
  if (fields[path]) return fields[path];
  const parts = path.split(".").filter((part) => !isIndex(part));
  const last = parts.at(-1) ?? path;
  if (parts.length > 1) return /^(name|code|value|displayName)$/.test(last) ? labelOf(parts.slice(0, -1).join(".")) : labelOf(last);
  const plainly = last.replace(/^(is|collect)(?=[A-Z])/, "");
  return plainly === last ? words(apart(last)) : labelOf(plainly.charAt(0).toLowerCase() + plainly.slice(1));
}

/** A choice that the API offers by its name: a value of an enumeration, or the name of a field. */
export const enumerated = (name: string) => (/^[A-Z0-9_]+$/.test(name) ? shownOf(name) : labelOf(name));

/** The name of a field in a form of some type. */
export const labelIn = (type: string, name: string) => fields[`${type}.${name}`] ?? labelOf(name);

/** A path of a field, part by part: home address, city. */
export const fieldOf = (path: string) =>
  path
    .split(".")
    .filter((part) => !isIndex(part) && part !== "input" && part !== "default")
    .filter((part, i, all) => i === 0 || i < all.length - 1 || !/^(name|code|value)$/.test(part))
    .map((part) => (part === "certifications" ? "certification" : lower(labelOf(part))))
    .join(", ");

/** A column of a file, which has its own name where a part of a path says too little. */
export const columnOf = (name: string) => (columns[name] ?? fieldOf(name)).replace(/^./, (c) => c.toUpperCase());

/** The heading of a column of a query, by its whole path: Membership level name. */
export const headingOf = (path: string) => words(path.split(".").map(apart).join(" "));

/** What a path is about: bank account of directDeposit.bankName. */
export const thingOf = (path: string) => lower(labelOf(path.split(".")[0]!));

/** What an object is: provider company of ProviderCompany. */
export const objectOf = (type: string) => objects[type.charAt(0).toLowerCase() + type.slice(1)] ?? lower(labelOf(type.charAt(0).toLowerCase() + type.slice(1)));

/** A state of the United States as people write it: TX of US-TX; any other place with its country. */
export const stateOf = (code: string | undefined) => code?.replace(/^US-/, "");

/** What an event is about, in words; of all of an area, too. */
export function eventOf(name: string): string {
  const [, area, of] = /^Platform\.(\w+)\.Events\.(.*)$/.exec(name) ?? [];
  return of === "*" ? `All of ${lower(words(apart(area!)))}` : words(apart((of ?? name).split(".").pop()!)).replace("w9", "W9");
}

const verbs: Record<string, string> = {
  Register: "registered", Create: "added", Upsert: "saved", Update: "changed", Apply: "changed", Replace: "replaced", Delete: "deleted", Add: "added", Remove: "removed", Record: "recorded",
  Submit: "submitted", Hold: "put on hold", Resume: "resumed", Paid: "marked paid", Process: "processed", Reject: "rejected", Publish: "published", Retire: "retired", Revoke: "revoked", End: "ended",
};

const others: Record<string, string> = {
  signIn: "signed in",
  signInRefused: "was refused at the sign-in",
  signInLocked: "was locked out, after too many wrong passwords",
  signOut: "signed out",
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

/** What a write did, such as changed the agent contact, of agentContactUpdate. */
export function didOf(operation: string): string {
  if (others[operation]) return others[operation];
  const [, noun, verb] = /^(.*?)([A-Z][a-z]*)$/.exec(operation) ?? [];
  return noun && verb && verbs[verb] ? `${verbs[verb]} the ${objectOf(noun)}` : lower(words(apart(operation)));
}

/** Whether a write made or deleted what it is about: such a one is not a change of fields. */
export const isWhole = (operation: string) => /(Register|Create|Delete|Record|Add|Remove)$/.test(operation);

/** Sentences of the server that name a flag, and what they say. */
const sentences: [RegExp, string][] = [
  [/\bis required by \w+ of the configuration, version (\d+)/g, "is required, says version $1 of the configuration"],
  [/\bthe token's subject\b/g, "whoever is signed in"],
  [/\bnull without [a-z-]+(:[a-z-]+)+/g, "empty for whoever may not see it"],
  [/\b[a-z][a-z-]*(:[a-z-]+)+\b/g, "the right to it"],
  [/[ ,;:(]*\b(see|as in|in)? ?docs\/[\w.#/-]+\)?/g, ""],
];

/** Proper names, which are no names of the API. */
const proper = /^(Graph[iQ]L|Open[AI][A-Z]\w*|JavaScript|YouTube|iOS|GitHub|Mc[A-Z]\w+|Mac[A-Z]\w+)$/;

/** A sentence of the server, with what it names of the API in the words of the office. */
export function plain(text: string): string {
  const said = sentences.reduce((all, [of, as]) => all.replace(of, as), text);
  return said
    .replace(/\b(?:[a-z]+[A-Z]\w*|[a-z]\w*(?=\.[a-z]+[A-Z]))(?:\.\w+)*\b|\b[a-z]\w*(?:\.[a-z]\w*[A-Z]\w*)+\b/g, (name) => (proper.test(name) ? name : fieldOf(name)))
    .replace(/\b[A-Z][a-z]+(?:[A-Z][a-z0-9]+)+\b/g, (name) => (proper.test(name) ? name : objectOf(name)))
    .replace(/\b[A-Z][A-Z0-9_]{3,}\b/g, (name) => (isValues(name) ? lower(words(name)) : name))
    .replace(/^./, (c) => c.toUpperCase());
}

const keys = ["agentCode", "code", "name", "username", "clientId", "url", "value", "policyNumber"];

/** What a write is about: the key that its input has. */
export const keyOf = (input: Record<string, unknown> | undefined) => keys.map((key) => input?.[key]).find((key) => key !== undefined && key !== null);
