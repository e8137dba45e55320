// What holds of forms and charts whatever they are given: random cases, and a second plain
// way to know what is right.
import { check } from "./browser.mjs";
import { pure } from "./pure.mjs";

/** How many random cases a property is tried with. */
const cases = Number(process.env.UPLINE_JOURNEY_CASES ?? 300);

const pick = (all) => all[Math.floor(Math.random() * all.length)];
const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

/** A value of a field, other than the one that it has. */
function another(f, before) {
  for (;;) {
    const n = Math.floor(Math.random() * 900) + 100;
    const one = f.choices ? pick(f.choices) : f.type === "Boolean" ? pick([true, false]) : f.type === "Int" || f.type === "Long" ? n : f.type === "Decimal" ? `${n}.50` : f.type === "Date" ? `2020-01-${String((n % 28) + 1).padStart(2, "0")}` : f.type === "DateTime" ? `2020-01-${String((n % 28) + 1).padStart(2, "0")}T00:00:00.000Z` : f.type === "JSON" ? { n } : `x ${n}, y\n${n}`;
    const value = f.isList ? [one] : one;
    if (!same(value, before)) return value;
  }
}

/** What a form makes of a record, for one field after the other: what the API would have then is the record, but for that field. */
async function formsChangeOneField() {
  const { changeOf, emptied, valuesOf } = await pure("parts/form/shape.ts");
  const { inputs } = await pure("inputs.ts");
  let fields = 0;
  const recordOf = (type, depth = 0) =>
    Object.fromEntries(
      inputs[type].flatMap((f) => {
        if (Math.random() < 0.2 && !f.isRequired) return [];
        const one = () => (f.of ? (depth > 3 ? {} : recordOf(f.of, depth + 1)) : another({ ...f, isList: false }));
        return [[f.name, f.isList ? Array.from({ length: 1 + Math.floor(Math.random() * 2) }, one) : one()]];
      }),
    );
  for (const type of Object.keys(inputs).filter((name) => /(Update|Upsert)Input$/.test(name)))
    for (let i = 0; i < Math.ceil(cases / 100); i++) {
      const record = recordOf(type);
      const before = valuesOf(type, record, false);
      check(changeOf(type, before, before) === undefined, `${type}: nothing was changed, and ${JSON.stringify(changeOf(type, before, before))} is sent`);
      for (const path of Object.keys(before)) fields += tryField({ inputs, changeOf, emptied }, type, record, before, path);
    }
  check(fields > 300, `only ${fields} fields were tried`);
  return `${fields} fields`;
}

/** Changes what stands at a path of a form, and applies what is sent to the record as the API does: section by section, lists and objects with required fields as a whole. */
function tryField({ inputs, changeOf, emptied }, type, record, before, path) {
  const names = path.split(".");
  if (path === "reason") return 0;
  for (const value of ["2021-02-03", ""]) {
    const now = { ...before, [path]: value === "" && isSensitive(inputs, type, names) ? emptied : typedFor(inputs, type, names, value) };
    if (same(now[path], before[path]) || !(now[path].length || before[path].length)) continue;
    const sent = changeOf(type, now, before);
    const field = fieldAt(inputs, type, names);
    check(sent !== undefined, `${type}: ${path} was changed, and nothing is sent`);
    const differing = differences(inputs, type, record, sent).filter((at) => path !== at && !path.startsWith(`${at}.`));
    check(differing.length === 0, `${type}: ${path} (${field.type}) was changed, and so are ${differing.join(", ")}`);
  }
  return 1;
}

const fieldAt = (inputs, type, names) => names.filter((n) => !/^\d+$/.test(n)).reduce((f, name) => inputs[f.of].find((g) => g.name === name), { of: type });
const isSensitive = (inputs, type, names) => Boolean(fieldAt(inputs, type, names).isSensitive) && !names.some((n) => /^\d+$/.test(n));
const typedFor = (inputs, type, names, text) => {
  const f = fieldAt(inputs, type, names);
  if (text === "") return f.isList ? [] : "";
  const typed = f.choices ? pick(f.choices) : f.type === "Boolean" ? "true" : f.type === "Int" || f.type === "Long" ? "77" : f.type === "Decimal" ? "77.25" : f.type === "JSON" ? '{"x":1}' : f.type === "DateTime" ? (f.name === "startDate" ? "2021-02-03" : "2021-02-03T10:00") : text;
  return f.isList ? [typed] : typed;
};

/** The paths at which what is sent says something else than the record. */
function differences(inputs, type, record, sent, path = "") {
  return Object.entries(sent).flatMap(([name, value]) => {
    const f = inputs[type].find((g) => g.name === name);
    const at = path ? `${path}.${name}` : name;
    const is = record?.[name];
    if (f.of && !f.isList && value !== null) return differences(inputs, f.of, is, value, at);
    return same(value ?? null, is ?? null) || Date.parse(value) === Date.parse(is) ? [] : [at];
  });
}

/** Every field that a form asks for stands in its layout, once; one that does not apply holds nothing. */
async function layoutsAreWhole() {
  const { applies, layouts, sectionsOf, wrongIn } = await pure("parts/form/layout.ts");
  const { fieldsOf } = await pure("parts/form/shape.ts");
  const { inputs } = await pure("inputs.ts");
  let shown = 0;
  for (const type of Object.keys(inputs)) {
    // What names a record is known, and not asked for; of a new agent the code is.
    const asked = fieldsOf(type, type === "AgentRegisterInput" ? {} : { agentCode: "", id: "" }).filter((f) => f.name !== "reason");
    const wrong = layouts[type] ? wrongIn(type, asked) : [];
    check(wrong.length === 0, `${type}: ${wrong.join(", ")}`);
    const laid = sectionsOf(type, asked).flatMap((s) => s.lines.flat());
    check(same(laid.map((f) => f.name).sort(), asked.map((f) => f.name).sort()), `${type} shows ${laid.map((f) => f.name).join(", ")}`);
    for (let i = 0; i < Math.ceil(cases / 30); i++) {
      const values = Object.fromEntries(asked.filter((f) => !f.of).map((f) => [f.name, pick(["", f.choices ? pick(f.choices) : "x"])]));
      for (const f of asked.filter((f) => !f.of)) {
        if (applies(type, f, values, "")) shown++;
        else check(values[f.name] === "", `${type}: ${f.name} is hidden, and holds ${values[f.name]}`);
      }
    }
  }
  return `${shown} fields`;
}

/** An amount as people type it is the number that they mean, and no other text is one. */
async function amountsAreRead() {
  const { faultsOf, inputOf } = await pure("parts/form/shape.ts");
  const type = "CommissionPaymentRecordInput";
  const fault = (text) => faultsOf(type, { agentCode: "A1", paidOn: "2026-01-01", amount: text }, null).amount;
  for (let i = 0; i < cases; i++) {
    const cents = Math.floor(Math.random() * 10 ** Math.ceil(Math.random() * 10));
    const [whole, rest] = [String(Math.floor(cents / 100)), String(cents % 100).padStart(2, "0")];
    const plain = `${whole}.${rest}`;
    const grouped = new Intl.NumberFormat("en-US").format(Number(whole));
    for (const text of [plain, `${grouped}.${rest}`, `$${grouped}.${rest}`, ` ${plain} `]) {
      check(fault(text) === undefined, `${text} is refused`);
      check(inputOf(type, { agentCode: "A1", paidOn: "2026-01-01", amount: text }).amount === plain, `${text} is not ${plain}`);
    }
    // A comma that does not part thousands may be a decimal one: it is asked for, not guessed.
    for (const text of [`${whole},${rest}`, `${grouped}.${rest},5`, `${plain} USD`, `1${grouped},`]) check(fault(text) !== undefined, `${text} is taken`);
  }
}

/** What is typed finds what begins with it, before what has it elsewhere; nothing that has it is left out. */
async function choicesAreFound() {
  const { found } = await pure("parts/choices.ts");
  for (let i = 0; i < cases; i++) {
    const all = Array.from({ length: 1 + Math.floor(Math.random() * 40) }, (_, n) => ({ value: `US-${"ABCDEFGH"[n % 8]}${"XYZTQ"[n % 5]}`, label: `${pick(["New", "North", "West", "Old"])} ${pick(["York", "Dakota", "Virginia", "Mexico"])} ${n}` }));
    const typed = pick([pick(all).label.slice(0, 3), pick(all).value.slice(3), "vir", "zz", "  "]);
    const text = typed.trim().toLowerCase();
    const shown = found(all, typed);
    const has = all.filter((c) => c.label.toLowerCase().includes(text) || c.value.slice(3).toLowerCase().startsWith(text) || c.value.toLowerCase().startsWith(text));
    check(same(new Set(shown.map((c) => c.label)).size, new Set(has.map((c) => c.label)).size) && shown.length === has.length, `${typed} finds ${shown.length} of ${has.length}`);
    const firsts = shown.map((c) => c.label.toLowerCase().startsWith(text));
    check(firsts.indexOf(false) === -1 || !firsts.slice(firsts.indexOf(false)).includes(true), `${typed} has first what begins otherwise`);
  }
}

/** A report that is opened for a change and saved without one is as it was, whatever programs wrote into it. */
async function reportsStayAsTheyAre() {
  const { draftOf, definitionOf } = await pure("pages/insights/draft.ts");
  const fields = [["name", "text"], ["state", "text"], ["level", "integer"], ["premium", "decimal"], ["since", "date"], ["isNew", "boolean"]].map(([name, type]) => ({ name, type }));
  const some = (all) => all.filter(() => Math.random() < 0.5);
  const valueFor = (type) => (type === "integer" ? Math.floor(Math.random() * 90) : type === "boolean" ? Math.random() < 0.5 : type === "date" ? "2026-01-02" : type === "decimal" ? "12.50" : pick(["x", "two words", "a, b"]));
  for (let i = 0; i < cases; i++) {
    const isGrouped = Math.random() < 0.5;
    const plain = [fields[0], ...some(fields.slice(1))];
    const columns = plain.map((f) => ({ field: f.name, label: pick(["One", "Two"]), aggregate: "none", ...(f.type === "decimal" && { format: "currency" }) }));
    if (isGrouped) columns.push({ field: "premium", label: "Sum", aggregate: "sum", format: "currency" });
    const keys = [...columns.map((c) => (c.aggregate === "none" ? c.field : "premiumSum")), ...(isGrouped ? [] : ["since"])];
    const filters = some(fields).map((f) => pick([{ field: f.name, operator: "eq", value: valueFor(f.type) }, { field: f.name, operator: "in", value: [valueFor(f.type), valueFor(f.type)] }, { field: f.name, operator: "isNull", value: Math.random() < 0.5 }, { field: f.name, operator: "eq", value: { parameter: "p" } }, ...(f.type === "date" ? [{ field: f.name, operator: "between", value: [{ days: -30 }, { days: 0 }] }, { field: f.name, operator: "between", value: ["2026-01-01", "2026-02-01"] }] : [])]));
    const sort = [...new Set(some(keys))].map((field) => ({ field, direction: pick(["asc", "desc"]) }));
    const definition = { ...(Math.random() < 0.5 && { limit: 50, asOf: "today" }), columns, filters, ...(isGrouped && { groupBy: [...plain.map((f) => f.name), ...(plain.some((f) => f.name === "state") ? [] : ["state"])] }), ...(sort.length > 0 && { sort }), ...(isGrouped && Math.random() < 0.5 && { chart: "premiumSum" }) };
    const after = JSON.parse(JSON.stringify(definitionOf(draftOf("n", "d", "agents", definition), fields)));
    for (const key of new Set([...Object.keys(definition), ...Object.keys(after)])) {
      check(same(sorted(after[key]), sorted(definition[key])), `${key} was ${JSON.stringify(definition[key])}, and is ${JSON.stringify(after[key])}`);
    }
  }
}

/** A value with the names of its objects in order. */
const sorted = (value) => (Array.isArray(value) ? value.map(sorted) : value && typeof value === "object" ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)).map(([k, v]) => [k, sorted(v)])) : value);

/** A chart draws all that its rows say: its marks add up to the rows, each name once, the largest first. */
async function chartsAddUp() {
  const { drawnOf, lineOf, rowsOf, isTime, mostNamed, addsUp } = await pure("parts/marks.ts");
  for (let i = 0; i < cases; i++) {
    const kind = pick(["text", "date", "dateTime", "month"]);
    const names = Array.from({ length: 1 + Math.floor(Math.random() * 30) }, (_, n) => (kind === "text" ? `n${n}` : kind === "month" ? `2025-${String((n % 12) + 1).padStart(2, "0")}` : `2025-01-${String((n % 28) + 1).padStart(2, "0")}${kind === "dateTime" ? "T10:00:00Z" : ""}`));
    const teams = Array.from({ length: 1 + Math.floor(Math.random() * 15) }, (_, n) => `t${n}`);
    const x = { key: "x", label: "X", type: kind === "month" ? "text" : kind };
    const team = { key: "team", label: "Team", type: "text" };
    const y = pick([{ key: "y", label: "Y", type: "decimal" }, { key: "y", label: "Y", type: "integer", isMeasure: true }, rowsOf, { key: "y", label: "Y", type: "percent" }]);
    const gaps = Math.random() < 0.5 ? 0.1 : 0;
    const value = () => (Math.random() < gaps ? null : y.type === "decimal" ? (Math.random() * 1000).toFixed(2) : Math.floor(Math.random() * 1000));
    const rows = Math.random() < 0.4 ? names.flatMap((n) => teams.map((t) => ({ x: n, team: t, y: value() }))) : Array.from({ length: Math.floor(Math.random() * 300) + 1 }, () => ({ x: Math.random() < gaps && kind !== "month" ? null : pick(names), team: pick(teams), y: value() }));
    const result = { columns: [x, team, y], rows, total: rows.length };
    const line = lineOf(result, x, [x, team]);
    const { marks, untold } = drawnOf(result, x, y, line);
    const what = `${y.type} by ${kind}${line ? " and team" : ""}: ${JSON.stringify(rows).slice(0, 300)}`;
    const keys = marks.map((m) => JSON.stringify([m.x, m.line]));
    check(new Set(keys).size === keys.length, `a mark is drawn twice, ${what}`);
    const isOverTime = isTime(x, rows);
    check(isOverTime || marks.length <= mostNamed + 1, `${marks.length} bars, ${what}`);
    check(new Set(marks.map((m) => m.line)).size <= mostNamed + 1, `too many lines, ${what}`);
    if (isOverTime) check(marks.every((m, k) => k === 0 || marks[k - 1].x <= m.x), `time goes back, ${what}`);
    else check(marks.slice(0, mostNamed).every((m, k) => k === 0 || marks[k - 1].y >= m.y), `not by size, ${what}`);
    if (!addsUp(y)) continue;
    const sum = rows.reduce((all, row) => all + (y === rowsOf ? 1 : Number(row.y ?? 0)), 0);
    const timeless = untold.reduce((all, text) => all + Number((/not drawn: (.*)$/.exec(text)?.[1] ?? "0").replaceAll(",", "")), 0);
    const drawn = marks.reduce((all, m) => all + m.y, timeless);
    check(Math.abs(sum - drawn) < 0.001, `${drawn} is drawn of ${sum}, ${what}`);
  }
}

/** A week and a quarter begin on their first day: every day of thirty years is counted on from a Monday, and week 1 is that of January 4th. */
async function timesBegin() {
  const { firstDayOf } = await pure("parts/marks.ts");
  const day = (n) => new Date(n * 86_400_000).toISOString().slice(0, 10);
  const name = (year, week) => `${year}-W${String(week).padStart(2, "0")}`;
  let [monday, year, week] = [4, 1970, 2]; // January 5th, 1970
  for (; monday < 16_000; monday += 7) {
    check(firstDayOf(name(year, week)) === day(monday), `${name(year, week)} begins on ${firstDayOf(name(year, week))}, and should on ${day(monday)}`);
    week++;
    if (Array.from({ length: 7 }, (_, i) => day(monday + 7 + i)).some((d) => d.endsWith("-01-04"))) [year, week] = [year + 1, 1];
  }
  for (const [i, month] of ["01", "04", "07", "10"].entries()) check(firstDayOf(`2026-Q${i + 1}`) === `2026-${month}-01`, `quarter ${i + 1}`);
}

/** Payments and what takes them back are paired as far as they can be: of each reference and amount, walked day by day, as many as are open. */
async function paymentsArePaired() {
  const { takenBack } = await pure("pages/agent/takenback.ts");
  for (let i = 0; i < cases; i++) {
    const payments = Array.from({ length: Math.floor(Math.random() * 12) }, () => ({ paidOn: `2026-01-0${1 + Math.floor(Math.random() * 5)}`, amount: pick(["5.00", "-5.00", "7.50", "-7.50"]), reference: pick(["r", null]) })).sort((a, b) => (a.paidOn < b.paidOn ? 1 : -1));
    const pairs = takenBack(payments);
    const what = JSON.stringify(payments);
    check([...pairs].every(([of, back]) => Number(of.amount) > 0 && Number(of.amount) === -Number(back.amount) && of.reference === back.reference && of.paidOn <= back.paidOn), `a pair does not fit, ${what}`);
    check(new Set(pairs.values()).size === pairs.size, `one takes two back, ${what}`);
    let most = 0;
    for (const [amount, reference] of [["5.00", "r"], ["5.00", null], ["7.50", "r"], ["7.50", null]]) {
      let open = 0;
      const own = payments.filter((p) => p.reference === reference && p.amount.replace("-", "") === amount);
      // On a day, what is paid stands before what is taken back.
      for (const p of [...own].sort((a, b) => (a.paidOn === b.paidOn ? Number(b.amount) - Number(a.amount) : a.paidOn < b.paidOn ? -1 : 1))) {
        if (Number(p.amount) > 0) open++;
        else if (open > 0) [open, most] = [open - 1, most + 1];
      }
    }
    check(pairs.size === most, `${pairs.size} pairs of ${most}, ${what}`);
  }
}

export const properties = {
  "a form changes the one field that was changed": formsChangeOneField,
  "a form shows every field once": layoutsAreWhole,
  "an amount is read as it is typed": amountsAreRead,
  "what is typed finds what begins with it": choicesAreFound,
  "a report that is not changed stays as it is": reportsStayAsTheyAre,
  "a chart adds up to its rows": chartsAddUp,
  "weeks and quarters begin on their first day": timesBegin,
  "payments and what takes them back are paired": paymentsArePaired,
};
