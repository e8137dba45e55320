// How the forms that people fill in daily are laid out. Other forms show the fields in the
// order of the schema.
import type { InputField } from "../../inputs";
import { itemsOf, join, type Values } from "./shape";

/** A part of a form: lines of fields that belong together. */
export interface Section {
  title?: string;
  lines: string[][];
}

const name = { title: "Name", lines: [["firstName", "middleName", "lastName", "suffix"], ["commonName"]] };
const application: Section[] = [
  { title: "Recruit", lines: [["firstName", "middleName", "lastName", "suffix"], ["commonName", "recruiterAgentCode"], ["birthDate", "gender", "maritalStatus"], ["governmentIdentifier"]] },
  { title: "How to reach the recruit", lines: [["emailAddress"], ["cellPhone"], ["homePhone"], ["homeAddress"], ["businessAddress"]] },
  { title: "In the agency", lines: [["agentLevelValue", "dedicated"], ["selectedProductId", "orderId", "cartId"]] },
  { title: "What else is asked", lines: [["spouse"], ["licenses"], ["employment"], ["w9"], ["background"], ["contract"]] },
];
const w9: Section[] = [{ lines: [["name", "businessName"], ["taxClassification", "exemptPayee"], ["taxpayerIdentifier", "accountNumber"], ["address"], ["signature", "signatureDate"]] }];
const phone: Section[] = [{ lines: [["countryCode", "areaCode", "phoneNumber"]] }];
const reach: string[][] = [["cellPhone"], ["homePhone"], ["businessPhone"], ["fax"], ["homeAddress"], ["businessAddress"]];

/** Layouts by the types of inputs: each field that is asked for stands in one line. */
export const layouts: Record<string, Section[]> = {
  AgentRegisterInput: [
    name,
    { title: "In the agency", lines: [["teams"], ["status", "startDate"], ["agentCode", "isDedicated"]] },
    { title: "Person", lines: [["birthDate", "gender"], ["governmentIdentifier", "npn", "customerId"]] },
    { title: "How to reach the agent", lines: [["email"], ...reach] },
    { title: "Who is paid", lines: [["directDeposit"], ["w9"]] },
  ],
  AgentUpdateInput: [name, { title: "Person", lines: [["birthDate", "gender"], ["email"], ["governmentIdentifier", "npn", "customerId"]] }, { title: "In the agency", lines: [["startDate", "isDedicated"]] }],
  AgentContactUpdateInput: [{ lines: reach }],
  TeamMembershipInput: [{ lines: [["directUpline", "level"]] }],
  AddressInput: [{ lines: [["line1"], ["line2"], ["city", "jurisdiction", "postalCode"], ["country"]] }],
  PhoneInput: phone,
  PhoneUpdateInput: phone,
  DirectDepositInput: [{ lines: [["country", "accountType"], ["accountHolderName", "bankName"], ["routingNumber", "institutionNumber", "transitNumber", "accountNumber"]] }],
  W9Input: w9,
  W9UpdateInput: w9,
  W9AddressInput: [{ lines: [["streetAddress"], ["city", "state", "zipCode"]] }],
  CertificationUpsertInput: [{ lines: [["type", "jurisdiction"], ["identifier", "providerCompany"], ["status", "effectiveFrom", "effectiveThrough"], ["isResidentCertification", "isVerified"], ["note"]] }],
  CertificationUpdateInput: [{ lines: [["status"], ["isResidentCertification", "isVerified"], ["note"]] }],
  ApplicationCreateInput: application,
  ApplicationUpdateInput: application,
  ApplicationAddressInput: [{ lines: [["address1"], ["address2"], ["city", "jurisdiction", "postalCode"]] }],
  ApplicationPhoneInput: phone,
  ApplicationLicenseInput: [{ lines: [["type", "jurisdiction", "licenseNumber"], ["effectiveFrom", "expiresOn", "isResident"], ["linesOfAuthority"]] }],
  ApplicationEmployerInput: [{ lines: [["employer", "position"], ["startDate", "endDate"], ["city", "jurisdiction"], ["phone"], ["reasonForLeaving", "mayContact"]] }],
  ApplicationW9Input: [{ lines: [["taxpayerName", "businessName"], ["classification", "llcClassification", "otherClassification"], ["exemptPayee"], ["address"], ["city", "jurisdiction", "postalCode"], ["ssn", "ein", "accountNumbers"], ["signature", "entryDate"]] }],
  ProductionRecordUpsertInput: [{ lines: [["providerCompany", "policyNumber", "productLine"], ["annualPremium"], ["submittedOn", "issuedOn", "placedOn"]] }],
  CommissionPaymentRecordInput: [{ lines: [["paidOn", "amount"], ["reference"]] }],
};

/** Fields that apply to some values of another field only. */
const conditions: Record<string, [of: string, is: string[]]> = {
  "DirectDepositInput.routingNumber": ["country", ["", "US"]],
  "DirectDepositInput.institutionNumber": ["country", ["CA"]],
  "DirectDepositInput.transitNumber": ["country", ["CA"]],
  "ApplicationW9Input.llcClassification": ["classification", ["LLC"]],
  "ApplicationW9Input.otherClassification": ["classification", ["OTHER"]],
  "ApplicationEmploymentInput.hasNonCompete": ["isCurrentlyEmployed", ["true"]],
};

const isFilled = (f: InputField, values: Values, at: string) => (f.of ? (f.isList ? itemsOf(values, at) > 0 : Object.keys(values).some((key) => key.startsWith(`${at}.`) && String(values[key]) !== "")) : !["", "false"].includes(String(values[at] ?? "")));

/** Whether a field applies, as the form is filled in: what holds a value is always shown. */
export function applies(type: string, f: InputField, values: Values, path: string): boolean {
  const condition = conditions[`${type}.${f.name}`];
  return !condition || condition[1].includes(String(values[join(path, condition[0])] ?? "")) || isFilled(f, values, join(path, f.name));
}

/** The sections of a form, with the fields that are asked for. A type without a layout has its fields two in a line, and those that are objects below. */
export function sectionsOf(type: string, fields: InputField[]): { title?: string; lines: InputField[][] }[] {
  const asked = fields.filter((f) => f.name !== "reason");
  const layout = layouts[type];
  if (!layout) {
    const plain = asked.filter((f) => !f.of);
    return [{ lines: [...Array.from({ length: Math.ceil(plain.length / 2) }, (_, i) => plain.slice(2 * i, 2 * i + 2)), ...asked.filter((f) => f.of).map((f) => [f])] }];
  }
  const lineOf = (names: string[]) => names.flatMap((n) => asked.find((f) => f.name === n) ?? []);
  return layout.map((section) => ({ ...section, lines: section.lines.map(lineOf).filter((line) => line.length > 0) })).filter((section) => section.lines.length > 0);
}

/** What a layout forgets of what is asked for, or names that it has not or has twice. */
export function wrongIn(type: string, asked: InputField[]): string[] {
  const named = layouts[type]!.flatMap((s) => s.lines.flat());
  const has = asked.map((f) => f.name);
  return [...has.filter((n) => !named.includes(n)), ...named.filter((n, i) => !has.includes(n) || named.indexOf(n) !== i)];
}
