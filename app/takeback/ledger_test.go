package takeback

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2/ast"
	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
)

// write is a request that changed something, with the agency before and after it.
type write struct {
	mutation string
	input    object
	// rows are those of an imported file; undone what a changeUndo took back.
	rows   []object
	undone []*write
	at     time.Time
	// numbers are those of its entries.
	numbers       []string
	before, after *snapshot
	was, is       state
	changes       map[unit]bool
}

func (w *write) String() string {
	input, err := json.Marshal(w.input)
	if err != nil {
		panic(err)
	}
	line := fmt.Sprintf("%s(%s) %s", w.mutation, strings.Join(w.numbers, ","), input)
	if w.rows != nil {
		line += " " + strings.ReplaceAll(file(w.rows), "\n", " ")
	}
	return line
}

// ledger is an agency, and all that was written in it.
type ledger struct {
	apptest.T
	// r draws what is written; nil for a ledger that a test writes by itself.
	r      *rapid.T
	w      *apptest.World
	c      *apptest.Caller
	tenant string
	token  string
	schema *ast.Schema
	log    []*write
	now    *snapshot
	state  state
	stated stated
	statements
	// watched is the kind of fault that fails the test.
	watched string
	// refused counts what was refused, by the mutation and its code, and applied what was not.
	tally map[string]int
	tried string
}

// tenants numbers them.
var tenants int

// begin begins a ledger in a tenant of its own.
func begin(t apptest.T, w *apptest.World, watched string, tally map[string]int) *ledger {
	tenants++
	r, _ := t.(*rapid.T)
	l := &ledger{T: t, r: r, w: w, tenant: fmt.Sprint("t", tenants), schema: w.Graph.Schema(), watched: watched, tally: tally}
	w.AddTenant(t, l.tenant, "UTC")
	l.token = w.As(l.tenant, bearer.TenantScopes()...).Token(t)
	l.c = w.WithToken(l.tenant, l.token)
	l.c.Query(t, `mutation { tagCreate(input: {name: "GOLD"}) { applied } productCreate(input: {code: "TERM", name: "Term"}) { applied } jurisdictionCreate(input: {code: "XX-QC", name: "Q"}) { applied }
		payStatusCreate(input: {name: "Away", isActive: false}) { applied } providerCompanyUpsert(input: {code: "ACO", name: "A"}) { applied }
		appConfigurationUpdate(input: {collectTaxId: false, collectBirthDate: false, collectMaritalInfo: false, collectHomeAddress: false, collectCorrespondenceAddress: false, collectPrimaryPhone: false, collectCellPhone: false,
			collectLicenseInfo: false, collectEmploymentInfo: false, collectTaxInfo: false, collectContract: false, collectPersonalHistory: false, requiresPayment: true}) { applied }
		certificationTypeCreate(input: {code: "CRAFT", name: "Craft"}) { applied } roleCreate(input: {name: "Clerk", scopes: ["read:agents"]}) { applied } }`, nil)
	l.w.Clock.Move(time.Second)
	l.now = read(t, l.c, l.tenant)
	l.state = newState(l.now, nil)
	return l
}

// fault tells that something is not as it must be.
func (l *ledger) fault(kind, format string, args ...any) {
	l.Helper()
	if kind == l.watched || kind == "oracle" || kind == "dry run" || kind == "internal" {
		l.Fatalf("%s: %s\nthe ledger:%s%s", kind, fmt.Sprintf(format, args...), l.story(), l.tried)
	}
	l.tally["other fault: "+kind]++
}

// lastError is the last fault in a log.
func lastError(log string) (last string) {
	for line := range strings.Lines(log) {
		if strings.Contains(line, `"level":"ERROR"`) {
			last = line
		}
	}
	return last
}

func (l *ledger) story() string {
	var b strings.Builder
	for i, w := range l.log {
		fmt.Fprintf(&b, "\n%2d. %s", i+1, w)
	}
	return b.String()
}

// ask answers what lies at a path.
func (l *ledger) ask(query string, variables object, path string) any {
	l.Helper()
	return apptest.At(l.c.Query(l.T, query, variables), path)
}

// payload sends a mutation and returns what it answers, or nil with the errors of a request
// that was refused whole.
func (l *ledger) payload(mutation string, in object, rows []object, dryRun bool, selection string) (any, []apptest.Error) {
	l.Helper()
	f := l.schema.Mutation.Fields.ForName(mutation)
	declared, passed := "", "input: $input"
	if arg := f.Arguments.ForName("input"); arg != nil {
		declared = "($input: " + arg.Type.Name() + "!)"
	} else {
		passed = ""
	}
	if dryRun {
		passed += ", dryRun: true"
	}
	if passed != "" {
		passed = "(" + passed + ")"
	}
	document := "mutation" + declared + " { m: " + mutation + passed + " { " + selection + " applied userErrors { code field message } } }"
	var data any
	var errs []apptest.Error
	if mutation == "bulkImport" {
		r := l.c.Upload(l.T, document, in, file(rows))
		data, errs = r.Data, r.Errors
	} else {
		data, errs = l.c.GraphQL(l.T, document, object{"input": in})
	}
	for _, e := range errs {
		if e.Code() == "INTERNAL" || e.Code() == "INTERNAL_SERVER_ERROR" {
			l.fault("internal", "%s: %s", e.Message, lastError(l.w.Logged()))
		}
	}
	return apptest.At(data, "m"), errs
}

// numbers are those of the entries of the trail since an instant, oldest first.
func (l *ledger) numbersSince(at time.Time) (all []string) {
	l.Helper()
	for _, n := range l.ask(`query($at: DateTime) { auditLog(first: 90, filter: {kind: WRITE, from: $at}) { nodes { sequence } } }`, object{"at": at.Format(time.RFC3339Nano)}, "auditLog.nodes").([]any) {
		all = append(all, fmt.Sprint(apptest.At(n, "sequence")))
	}
	slices.Reverse(all)
	return all
}

// send sends a mutation, and keeps it in the log if it changed something.
func (l *ledger) send(mutation string, in object, rows []object) *write {
	l.Helper()
	w := &write{mutation: mutation, input: in, rows: rows}
	l.tried = "\ntried: " + w.String()
	if l.schema.Mutation.Fields.ForName(mutation).Arguments.ForName("dryRun") != nil && l.r != nil && oneOf(l.r, "try", []bool{false, false, false, true}) {
		l.payload(mutation, in, rows, true, "")
		l.nothing("a dry run of " + mutation)
	}
	l.w.Clock.Move(time.Second)
	w.at = l.w.Clock.Now()
	payload, errs := l.payload(mutation, in, rows, false, "")
	if refused, _ := apptest.At(payload, "userErrors").([]any); errs != nil || len(refused) > 0 || apptest.At(payload, "applied") != true {
		l.tally["refused "+mutation]++
		l.nothing(fmt.Sprint("refused ", mutation, errs, refused))
		return nil
	}
	l.tally[mutation]++
	w.numbers = l.numbersSince(w.at)
	l.keep(w, read(l.T, l.c, l.tenant), nil)
	return w
}

// nothing checks that nothing was changed, and no entry left.
func (l *ledger) nothing(by string) {
	l.Helper()
	is := read(l.T, l.c, l.tenant)
	if d := difference(is, l.now); d != "" {
		l.fault("dry run", "%s has changed something:%s", by, d)
	}
	last := time.Time{}
	if len(l.log) > 0 {
		last = l.log[len(l.log)-1].at.Add(time.Second)
	}
	if n := l.numbersSince(last); len(l.log) > 0 && len(n) > 0 {
		l.fault("dry run", "%s has left entries: %v", by, n)
	}
}

// keep adds a write to the log. on is what is stated after it, if that is known.
func (l *ledger) keep(w *write, after *snapshot, on stated) {
	w.before, w.after, w.was = l.now, after, l.state
	if on == nil {
		on = l.after(l.stated, w.before, after, w.spans(w.before))
		for c, of := range on {
			if list := l.periods(of); !slices.EqualFunc(list, after.dated[c], samePeriod) {
				l.fault("oracle", "%s is\n  %s and the oracle has\n  %s\nby %v", c, after.show(c), (&snapshot{dated: map[cell][]period{c: list}}).show(c), w)
			}
		}
	}
	l.stated, l.now, l.state = on, after, newState(after, on)
	w.is, w.changes = l.state, map[unit]bool{}
	for _, u := range changed(w.was, w.is) {
		w.changes[u.whole()] = true
	}
	l.log, l.tried = append(l.log, w), ""
	if l.watched == "changes" {
		if wrong := compare(l.changesOf(w), w.before, after, false); wrong != nil {
			l.fault("changes", "%s", strings.Join(wrong, "\n  "))
		}
	}
}
