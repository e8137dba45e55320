// Records: made, changed, deleted and taken back by hand, with the clicks that it takes.
import { accessible, ask, check, eventually, open, settled, signIn } from "./browser.mjs";

/** Counts what a hand clicks from now on. */
async function counting(page) {
  await page.evaluate(() => {
    window.pressed = 0;
    window.addEventListener("pointerdown", (event) => event.isTrusted && window.pressed++, true);
  });
  return async (most, what) => {
    const clicks = await page.evaluate(() => window.pressed);
    check(clicks <= most, `${what} takes ${clicks} clicks`);
    return `${clicks} clicks`;
  };
}

const dialogOf = (page) => page.getByRole("dialog");
const toast = (page, text) => page.getByRole("status", { name: "What was done" }).getByText(text);

/** Takes the last change back, from its toast. */
async function undo(page) {
  await page.getByRole("status", { name: "What was done" }).locator("> *").last().getByRole("button", { name: "Undo" }).click();
  const dialog = page.getByRole("dialog", { name: "Take it back" });
  await dialog.getByText("This is set back:").waitFor();
  await accessible(page, "taking a change back");
  await dialog.getByRole("button", { name: "Take it back" }).click();
  await dialog.waitFor({ state: "hidden" });
  await settled(page);
}

async function anAgent(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("agents/A1051");
  await page.getByRole("button", { name: "New agent below" }).click();
  const dialog = dialogOf(page);
  // What is missing is said beside the field.
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("Is required").first().waitFor();
  await accessible(page, "a form with what is missing");
  await dialog.getByRole("textbox", { name: "First name" }).fill("Ruth");
  await dialog.getByRole("textbox", { name: "Last name" }).fill("Kowalski");
  await dialog.getByRole("textbox", { name: "E-mail" }).fill("not an address");
  await dialog.getByRole("textbox", { name: "Status" }).click();
  await page.getByRole("option", { name: "Active", exact: true }).click();
  await dialog.getByRole("textbox", { name: "Level" }).click();
  await page.getByRole("option", { name: "Associate", exact: true }).click();
  await dialog.getByText("Home address", { exact: true }).click();
  await dialog.getByRole("textbox", { name: "City" }).first().fill("Austin");
  await dialog.getByRole("button", { name: "Save" }).click();
  // What the server refuses stands beside the field, and nothing typed is lost.
  await eventually(() => dialog.getByRole("textbox", { name: "E-mail" }).getAttribute("aria-invalid"), (v) => v === "true", "the e-mail address was refused");
  await dialog.getByRole("textbox", { name: "E-mail" }).fill("ruth@example.com");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: /Ruth Kowalski/ }).waitFor();
  await settled(page);
  await toast(page, /^You registered the agent/).waitFor();
  check((await page.getByRole("region", { name: "Contact" }).innerText()).includes("Austin"), "the address was not kept");
  const code = /agents\/(\w+)/.exec(page.url())[1];
  // Changed, and taken back.
  await page.getByRole("button", { name: "Change the identity" }).click();
  await dialog.getByRole("textbox", { name: "First name" }).fill("Rita");
  await dialog.getByRole("textbox", { name: "Reason" }).fill("married");
  await asks("changing an agent", () => dialog.getByRole("button", { name: "Save" }).click());
  await page.getByRole("heading", { name: /Rita Kowalski/ }).waitFor();
  await toast(page, `You changed the agent: ${code}.`).waitFor();
  await undo(page);
  await page.getByRole("heading", { name: /Ruth Kowalski/ }).waitFor();
  await page.getByRole("tab", { name: "Changes" }).click();
  const feed = page.getByRole("list", { name: "Changes" });
  await feed.getByText(/set the first name from Ruth to Rita/).first().waitFor();
  await feed.getByText(/“married”/).waitFor();
  await accessible(page, "the feed");
  // Where a value comes from.
  await page.getByRole("button", { name: "Where it comes from: E-mail" }).click();
  const because = page.getByRole("dialog").filter({ hasText: "registered the agent" });
  await because.getByText(/nothing → ruth@example.com/).waitFor();
  await accessible(page, "where a value comes from");
  await because.getByRole("button", { name: "All its changes" }).click();
  await eventually(() => page.url(), (url) => url.includes("field=email"), "the changes of the e-mail address are shown");
  await page.keyboard.press("Escape");
  await because.waitFor({ state: "hidden" });
  // Deleted, once its code is typed.
  await page.getByRole("button", { name: "More that can be done" }).click();
  await page.getByRole("menuitem", { name: "Delete the agent" }).click();
  check(await dialog.getByRole("button", { name: "Delete" }).isDisabled(), "an agent is deleted by a click");
  await dialog.getByRole("textbox", { name: /^Type/ }).fill(code);
  await accessible(page, "deleting an agent");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.waitForURL(/lists\/agents/);
  await settled(page);
  check((await ask(page, `{ agent(agentCode: "${code}") { agentCode } }`))?.agent == null, "the agent is still there");
  await end();
}

async function aLicence(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("agents/A1052");
  const part = page.getByRole("region", { name: "Certifications", exact: true });
  const dialog = dialogOf(page);
  await page.getByRole("button", { name: "New certification" }).click();
  await dialog.getByRole("textbox", { name: "Type" }).click();
  await page.getByRole("option", { name: /^Casualty/ }).click();
  await dialog.getByRole("textbox", { name: "Jurisdiction" }).fill("US-GU");
  await page.getByRole("option").first().click();
  await dialog.getByRole("textbox", { name: "Number" }).fill("GU-1");
  await accessible(page, "a new licence");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  await toast(page, /^You saved the certification/).waitFor();
  const row = part.getByRole("row", { name: /Casualty GU/ });
  await row.waitFor();
  const title = (await row.getByRole("cell").first().innerText()).trim();
  await row.getByRole("button", { name: "Change" }).click();
  await dialog.getByRole("checkbox", { name: "Verified" }).check();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  await toast(page, /^You changed the certification/).waitFor();
  await undo(page);
  await toast(page, /^You took a change back/).last().waitFor();
  await row.getByRole("button", { name: /^More of/ }).click();
  await page.getByRole("menuitem", { name: /^Delete/ }).click();
  await dialog.getByRole("textbox", { name: /^Type/ }).fill(title.split(" ")[0]);
  await dialog.getByRole("button", { name: "Delete" }).click();
  await dialog.waitFor({ state: "hidden" });
  await toast(page, /^You deleted the certification/).waitFor();
  await end();
  return title;
}

async function correctAPastPeriod(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await ask(page, 'mutation { payStatusPeriodApply(input: { agentCode: "A1053", status: "Suspended", effectiveFrom: "2024-02-01", effectiveThrough: "2024-03-31" }) { applied } }');
  await go("agents/A1053");
  const clicks = await counting(page);
  await page.getByRole("button", { name: /^Pay status: Suspended, Feb 1, 2024/ }).click();
  const dialog = dialogOf(page);
  check((await dialog.getByLabel("From").inputValue()) === "2024-02-01" && (await dialog.getByLabel("Through").inputValue()) === "2024-03-31", "the dialog has other days than the period");
  await dialog.getByRole("textbox", { name: "Value" }).click();
  await page.getByRole("option", { name: "Active", exact: true }).click();
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByRole("group", { name: "Then" }).waitFor();
  await dialog.getByRole("button", { name: "Apply" }).click();
  await dialog.waitFor({ state: "hidden" });
  await toast(page, /^You changed the pay status period/).waitFor();
  const took = await clicks(5, "correcting a past period");
  await undo(page);
  await page.getByRole("button", { name: /^Pay status: Suspended, Feb 1, 2024 – Mar 31, 2024/ }).waitFor();
  await end();
  return took;
}

async function whoChangedTheBankAccount(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const made = await ask(page, 'mutation { agentPayeeUpdate(input: { agentCode: "A1054", initiator: "payroll", reason: "a letter", directDeposit: { country: US, accountHolderName: "A B", bankName: "First Bank", accountType: CHECKING, routingNumber: "021000021", accountNumber: "99887766" } }) { applied userErrors { message } } }');
  check(made?.agentPayeeUpdate.applied, `the bank account was not changed: ${JSON.stringify(made)}`);
  const { subject } = (await ask(page, "{ viewer { subject } }")).viewer;
  await go("agents/A1054");
  const clicks = await counting(page);
  await page.getByRole("button", { name: "Who set the bank account" }).click();
  const feed = page.getByRole("list", { name: "Changes" });
  const sentence = feed.getByRole("listitem").filter({ hasText: "First Bank" }).first();
  await sentence.waitFor();
  const said = await sentence.innerText();
  check(said.includes(`${subject} changed the bank account`) && said.includes("in the name of payroll") && said.includes("“a letter”") && !said.includes("99887766"), `the feed says ${said}`);
  check(page.url().includes("field=directDeposit"), "the filter is not in the URL");
  await accessible(page, "the feed of a field");
  const took = await clicks(3, "who changed the bank account");
  await sentence.getByRole("button", { name: /^Undo/ }).click();
  await page.getByRole("dialog", { name: "Take it back" }).getByRole("button", { name: "Cancel" }).click();
  await end();
  return took;
}

/** A change that was followed by another one of the same value says so, and both are taken back together. */
async function changedAgainSince(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  for (const name of ["Una", "Uma"]) {
    const made = await ask(page, `mutation { agentUpdate(input: { agentCode: "A1057", initiator: "hr", firstName: "${name}" }) { applied userErrors { message } } }`);
    check(made?.agentUpdate.applied, `the name was not changed: ${JSON.stringify(made)}`);
  }
  await go("agents/A1057");
  const clicks = await counting(page);
  await page.getByRole("tab", { name: "Changes" }).click();
  const earlier = page.getByRole("list", { name: "Changes" }).getByRole("listitem").filter({ hasText: "to Una" }).first();
  await earlier.getByText(/^No undo: /).waitFor();
  await earlier.getByRole("button", { name: /^What is in the way/ }).click();
  const dialog = page.getByRole("dialog", { name: "Take it back" });
  await dialog.getByText(/set the first name .* from Una to Uma/).waitFor();
  await accessible(page, "what is in the way");
  await dialog.getByRole("button", { name: "Take these back, too" }).click();
  await dialog.getByText("This is set back:").waitFor();
  await dialog.getByRole("button", { name: "Take it back" }).click();
  await dialog.waitFor({ state: "hidden" });
  const took = await clicks(4, "what was changed again since");
  const { agent } = await ask(page, '{ agent(agentCode: "A1057") { firstName } }');
  check(!["Una", "Uma"].includes(agent.firstName), `the first name is ${agent.firstName}`);
  await end();
  return took;
}

async function whoSeesOneDownline(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("administration?tab=users");
  const clicks = await counting(page);
  await page.getByRole("button", { name: "New user" }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole("textbox", { name: "Username" }).fill("nora");
  await dialog.getByRole("textbox", { name: "Agent" }).fill("A1055");
  await page.keyboard.press("Enter");
  await dialog.getByRole("textbox", { name: "Roles" }).click();
  await page.getByRole("option", { name: "Recruiter", exact: true }).click();
  await page.keyboard.press("Escape");
  await dialog.getByLabel("Password", { exact: true }).fill("Tulip-bucket-93");
  await dialog.getByRole("checkbox", { name: /only$/ }).check();
  await accessible(page, "a user who sees a part");
  await dialog.getByRole("button", { name: "Save as approved" }).click();
  await dialog.waitFor({ state: "hidden" });
  const took = await clicks(6, "an employee who sees one downline");
  await page.getByRole("row", { name: /nora.*A1055.*Recruiter \(downline only\)/ }).waitFor();
  const { users } = await ask(page, "{ users(first: 50) { nodes { username agentCode roles { name limitedToDownline } } } }");
  check(users.nodes.find((u) => u.username === "nora").roles.every((r) => r.limitedToDownline), "the user sees the whole agency");
  await end();
  return took;
}

async function applicationToAgent(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const [paid] = (await ask(page, "{ applications(filter: { status: [PAID] }, first: 1) { nodes { firstName lastName } } }")).applications.nodes;
  await go("onboarding?status=PAID");
  const clicks = await counting(page);
  await page.getByRole("button", { name: `${paid.firstName} ${paid.lastName}` }).click();
  await page.getByRole("button", { name: "Process", exact: true }).click();
  await dialogOf(page).getByRole("button", { name: "Process" }).click();
  await page.getByRole("link", { name: /^Agent / }).click();
  await settled(page);
  await page.getByRole("heading", { name: new RegExp(`${paid.firstName} ${paid.lastName}`) }).waitFor();
  const took = await clicks(4, "from application to agent");
  await end();
  return took;
}

/** A recruiter starts an application for a recruit, and goes on with it. */
async function startAnApplication(browser, base) {
  const { page, go, end } = await open(browser, base, "recruiter");
  await go("onboarding");
  await page.getByRole("button", { name: "New application" }).click();
  const dialog = dialogOf(page);
  const recruiter = dialog.getByRole("textbox", { name: "Recruiter" });
  await recruiter.fill("A1006");
  await recruiter.press("Enter");
  await dialog.getByRole("textbox", { name: "First name" }).first().fill("Petra");
  await dialog.getByRole("textbox", { name: "Last name" }).first().fill("Novak");
  await dialog.getByRole("textbox", { name: "E-mail" }).first().fill("petra@example.com");
  await accessible(page, "a new application");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("heading", { name: "Petra Novak", level: 1 }).waitFor();
  await settled(page);
  await page.getByRole("button", { name: "Change the application" }).click();
  await dialog.getByRole("textbox", { name: "Middle name" }).fill("Maria");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  await toast(page, /^You changed the application/).waitFor();
  await end();
}

const wholeApplication = `query($id: ID!) { application(id: $id) {
  status recruiterAgentCode firstName lastName emailAddress middleName commonName suffix governmentIdentifier(reveal: true) birthDate gender maritalStatus dedicated agentLevelValue selectedProductId orderId cartId
  spouse { firstName lastName birthDate emailAddress phone { countryCode areaCode phoneNumber } isLicensedAgent agentCode }
  homeAddress { address1 address2 city jurisdiction postalCode } businessAddress { address1 address2 city jurisdiction postalCode }
  homePhone { countryCode areaCode phoneNumber } cellPhone { countryCode areaCode phoneNumber }
  licenses { npn isCurrentlyLicensed items { type jurisdiction licenseNumber isResident effectiveFrom expiresOn linesOfAuthority } }
  employment { isCurrentlyEmployed hasNonCompete items { employer position startDate endDate city jurisdiction phone { countryCode areaCode phoneNumber } reasonForLeaving mayContact } }
  w9 { taxpayerName businessName classification llcClassification otherClassification exemptPayee address city jurisdiction postalCode accountNumbers(reveal: true) ssn(reveal: true) ein(reveal: true) signature(reveal: true) entryDate }
  background { notes requiresApproval approved responses { contentItemVersionId responseValue } }
  contract { versionId agreementDate signature(reveal: true) clientIpAddress responses { contentItemVersionId responseValue } }
} }`;

const filledIn = {
  recruiterAgentCode: "A1006", firstName: "Corinna", lastName: "Street", emailAddress: "corinna@example.com", suffix: "Jr.", governmentIdentifier: "523-45-7788", birthDate: "1990-02-03", gender: "FEMALE", maritalStatus: "MARRIED", agentLevelValue: 10,
  spouse: { firstName: "Leo", phone: { areaCode: "512", phoneNumber: "5550101" }, isLicensedAgent: false },
  homeAddress: { address1: "1 Elm", address2: "B", city: "Austin", jurisdiction: "US-TX", postalCode: "78701" }, businessAddress: { address1: "2 Oak", city: "Dallas" }, cellPhone: { countryCode: "1", areaCode: "512", phoneNumber: "5550100" },
  licenses: { npn: "8812", isCurrentlyLicensed: true, items: [{ type: "LIFE", jurisdiction: "US-TX", licenseNumber: "T1", linesOfAuthority: ["Life", "Health"] }, { type: "LIFE", jurisdiction: "US-CA" }] },
  employment: { isCurrentlyEmployed: true, items: [{ employer: "Bank", phone: { phoneNumber: "5550102" }, reasonForLeaving: "Moved,\nand stayed", mayContact: false }] },
  w9: { taxpayerName: "Corinna", classification: "OTHER", otherClassification: "x", ssn: "523-45-7788", ein: "98-7654321", accountNumbers: "ACC-1", signature: "C S" },
  background: { notes: "Nothing.\nReally.", requiresApproval: true, responses: [{ contentItemVersionId: "v-1", responseValue: "false" }] },
  contract: { versionId: "c-1", agreementDate: "2026-01-02", signature: "Corinna S", clientIpAddress: "203.0.113.7", responses: [{ contentItemVersionId: "v-1", responseValue: "true" }] },
};

/** Changes fields of an application one by one, each with its form: nothing else of it differs then. */
async function correctAStreet(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  const made = await ask(page, "mutation($input: ApplicationCreateInput!) { applicationCreate(input: $input) { application { applicationId } userErrors { message field } } }", { input: filledIn });
  check(made?.applicationCreate.application, `the application was refused: ${JSON.stringify(made)}`);
  const id = made.applicationCreate.application.applicationId;
  await go(`onboarding?application=${encodeURIComponent(JSON.stringify(id))}`);
  const dialog = dialogOf(page);
  const read = async () => (await ask(page, wholeApplication, { id })).application;
  const change = async (what, act, expected) => {
    const before = await read();
    await page.getByRole("button", { name: "Change the application" }).click();
    check(await dialog.getByRole("button", { name: "Save" }).isDisabled(), "what has not changed can be saved");
    await dialog.locator("details").evaluateAll((all) => all.forEach((d) => (d.open = true)));
    await act();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "hidden" });
    await settled(page);
    expected(before);
    const after = await read();
    check(JSON.stringify(after) === JSON.stringify(before), `${what}: ${JSON.stringify(after)} is not ${JSON.stringify(before)}`);
  };
  const box = (name, at = 0) => dialog.getByRole("textbox", { name, exact: true }).nth(at);
  await change("a street", () => box("Street").fill("1 Elms"), (a) => (a.homeAddress.address1 = "1 Elms"));
  await change("the IP address", () => box("Address of the computer").fill("203.0.113.8"), (a) => (a.contract.clientIpAddress = "203.0.113.8"));
  await change("a tax id that is removed", () => dialog.getByRole("checkbox", { name: "Remove: EIN" }).check(), (a) => (a.w9.ein = null));
  await change("another tax id", () => dialog.getByLabel("SSN", { exact: true }).fill("523-45-9900"), (a) => (a.w9.ssn = "523-45-9900"));
  await change("a licence that is removed", () => dialog.getByRole("group", { name: "Items 2" }).first().getByRole("button", { name: "Remove" }).click(), (a) => a.licenses.items.pop());
  await change("the last licence", () => dialog.getByRole("group", { name: "Items 1" }).first().getByRole("button", { name: "Remove" }).click(), (a) => (a.licenses.items = []));
  await change("notes of two lines", async () => box("Notes").fill(`${await box("Notes").inputValue()} Yes.`), (a) => (a.background.notes = "Nothing.\nReally. Yes."));
  await page.getByRole("button", { name: "Change the application" }).click();
  await accessible(page, "a form with what is masked");
  await box("Middle name").fill("M");
  await box("Reason, kept with the change").fill("she said so");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("region", { name: "Changes" }).getByText(/she said so/).first().waitFor();
  await end();
}

async function whyDidTheWebhookFail(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("webhooks");
  const clicks = await counting(page);
  await page.getByText("Failed", { exact: true }).click();
  await page.waitForURL(/attempts=bad/);
  const row = page.getByRole("region", { name: "Attempts" }).getByRole("row").nth(1);
  await row.waitFor();
  const why = await row.getByRole("cell").nth(6).innerText();
  check(why.length > 5, `the row says ${await row.innerText()}`);
  await asks("sending it again", () => row.getByRole("button", { name: /^Send again/ }).click());
  await toast(page, "You sent a delivery again").waitFor();
  await accessible(page, "why a delivery failed");
  const took = await clicks(3, "why it failed, and once more");
  await end();
  return `${took}: ${why}`;
}

async function aSubscription(browser, base) {
  const { page, go, end } = await open(browser, base, "admin");
  await go("webhooks");
  const dialog = dialogOf(page);
  await page.getByRole("button", { name: "New subscription" }).click();
  await dialog.getByRole("textbox", { name: "Address" }).fill("https://receiver.example.com/upline");
  await dialog.getByRole("textbox", { name: "Events" }).fill("agent updated");
  await page.keyboard.press("Enter");
  await dialog.getByRole("button", { name: "Add to headers" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("X-Key");
  await dialog.getByLabel(/^Value/).fill("hush-hush");
  await accessible(page, "a new subscription");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("The secret, shown this once").waitFor();
  await dialog.getByRole("button", { name: "I have it" }).click();
  await page.getByRole("button", { name: "https://receiver.example.com/upline" }).click();
  await settled(page);
  await page.getByRole("button", { name: "As GraphQL, as curl" }).click();
  check(!(await dialog.innerText()).includes("hush-hush"), "the header that was typed is shown");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "More of the subscription" }).click();
  await page.getByRole("menuitem", { name: "Delete the subscription" }).click();
  await dialog.getByRole("textbox", { name: /^Type/ }).fill("receiver.example.com");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "https://receiver.example.com/upline" }).waitFor({ state: "detached" });
  await end();
}

/** Reference data, clients and keys: one form for all of them. */
async function referenceData(browser, base) {
  const { page, go, asks, end } = await open(browser, base, "admin");
  await go("administration?tab=reference");
  const dialog = dialogOf(page);
  await page.getByRole("button", { name: "New tag" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("Sailor");
  await asks("a new tag", () => dialog.getByRole("button", { name: "Save" }).click());
  await page.getByRole("button", { name: "Change the tag Sailor" }).click();
  check(await dialog.getByRole("button", { name: "Save" }).isDisabled(), "what has not changed can be saved");
  await dialog.getByRole("textbox", { name: "Description" }).fill("Served");
  await dialog.getByRole("button", { name: "Save" }).click();
  await page.getByRole("row", { name: /Sailor Served/ }).waitFor();
  await toast(page, "You changed the tag: Sailor.").waitFor();
  await undo(page);
  await page.getByRole("row", { name: /Sailor Served/ }).waitFor({ state: "detached" });
  const remove = async () => {
    await page.getByRole("button", { name: "More of the tag Sailor" }).click();
    await page.getByRole("menuitem", { name: "Delete the tag Sailor" }).click();
    await dialog.getByRole("textbox", { name: /^Type/ }).fill("Sailor");
    await dialog.getByRole("button", { name: "Delete" }).click();
    await page.getByRole("row", { name: /Sailor/ }).waitFor({ state: "detached" });
  };
  await remove();
  await toast(page, "You deleted the tag: Sailor.").waitFor();
  await undo(page); // makes it again
  await page.getByRole("row", { name: /Sailor/ }).waitFor();
  await remove();
  await go("administration?tab=clients");
  await page.getByRole("button", { name: "New client" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("nightly");
  await dialog.getByRole("textbox", { name: "Rights" }).click();
  await page.getByRole("option", { name: "Read agents, their certifications, teams and hierarchy", exact: true }).click();
  await page.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByRole("button", { name: "I have it" }).click();
  await page.getByRole("button", { name: "New key of demo.nightly" }).click();
  await dialog.getByRole("textbox", { name: "Name" }).fill("a key");
  await accessible(page, "a new key");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.getByText("The secret, shown this once").waitFor();
  await accessible(page, "a secret");
  await dialog.getByRole("button", { name: "I have it" }).click();
  await page.getByRole("button", { name: "More of demo.nightly" }).click();
  await page.getByRole("menuitem", { name: "Delete demo.nightly" }).click();
  await dialog.getByRole("textbox", { name: /^Type/ }).fill("demo.nightly");
  await dialog.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("region", { name: "demo.nightly", exact: true }).waitFor({ state: "detached" });
  await end();
}

/** A session that ends inside a dialog takes nothing with it that was typed. */
async function endedSession(browser, base) {
  const { context, page } = await signIn(browser, base, "admin");
  await page.goto(`${base}/workbench/demo/agents/A1056`);
  await page.getByRole("button", { name: "Change the identity" }).click();
  const dialog = dialogOf(page);
  await dialog.getByRole("textbox", { name: "Goes by" }).fill("Skipper");
  await context.clearCookies();
  await dialog.getByRole("button", { name: "Save" }).click();
  const link = dialog.getByRole("link", { name: "Sign in again, in another tab" });
  await accessible(page, "a session that has ended");
  const [other] = await Promise.all([context.waitForEvent("page"), link.click()]);
  await other.getByRole("button", { name: /^Administrator: / }).click();
  await other.waitForURL(/\/workbench\//);
  await other.close();
  check((await dialog.getByRole("textbox", { name: "Goes by" }).inputValue()) === "Skipper", "what was typed is lost");
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "hidden" });
  await toast(page, "You changed the agent: A1056.").waitFor();
  await context.close();
}

export const records = {
  "a session that ends inside a dialog": endedSession,
  "make, change, undo and delete an agent": anAgent,
  "make, change, undo and delete a licence": aLicence,
  "correct a past period": correctAPastPeriod,
  "who changed the bank account, really": whoChangedTheBankAccount,
  "take back what was changed again since": changedAgainSince,
  "an employee who sees one downline only": whoSeesOneDownline,
  "from application to agent": applicationToAgent,
  "start an application for a recruit": startAnApplication,
  "correct a street of an application": correctAStreet,
  "why did the webhook fail, and send again": whyDidTheWebhookFail,
  "make and delete a subscription": aSubscription,
  "reference data, clients and keys": referenceData,
};
