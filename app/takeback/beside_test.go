package takeback

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

var beside = flag.Duration("beside", 4*time.Second, "how long writers, revealers, undoers and imports meet")

// crowd are callers at once, about the same few agents.
type crowd struct {
	t       *testing.T
	w       *apptest.World
	c       *apptest.Caller
	end     time.Time
	enough  atomic.Bool // ends it before its time
	wg      sync.WaitGroup
	slowest atomic.Int64
	shown   atomic.Int64
	// failing is true where answers may say that the server failed.
	failing bool
	mu      sync.Mutex
	done    map[string]int
}

// secrets are the values that answers show in full, each begins with this.
const secrets = "555-00-"

func newCrowd(t *testing.T, s *store.Store, within time.Duration) *crowd {
	w := apptest.New(t, s, apptest.Options{Now: now})
	c := &crowd{t: t, w: w, c: w.WithToken(apptest.Acme, w.As(apptest.Acme, bearer.TenantScopes()...).Token(t)), end: time.Now().Add(within), done: map[string]int{}}
	for i := range 3 {
		c.ask("register", `mutation($in: AgentRegisterInput!) { m: agentRegister(input: $in) { applied userErrors { message } } }`, object{"in": object{"agentCode": fmt.Sprint("R", i), "firstName": "Ann", "lastName": "Lee",
			"status": "Active", "startDate": "2026-06-01T12:00:00Z", "governmentIdentifier": secrets + "0000", "customerId": "C", "teams": list(object{"membership": object{"level": 10}})}})
	}
	return c
}

func (c *crowd) goesOn() bool {
	return time.Now().Before(c.end) && !c.enough.Load() && !c.t.Failed()
}

// count says how often something came to an end in a way.
func (c *crowd) count(outcome string) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.done[outcome]
}

// act repeats something until the end.
func (c *crowd) act(f func(n int)) {
	c.wg.Go(func() {
		for n := 0; c.goesOn(); n++ {
			f(n)
		}
	})
}

// ask sends a document and counts what came of it.
func (c *crowd) ask(what, document string, variables object) any {
	began := time.Now()
	data, errs := c.c.GraphQL(c.t, document, variables)
	return c.answered(what, began, data, errs)
}

func (c *crowd) answered(what string, began time.Time, data any, errs []apptest.Error) any {
	took := int64(time.Since(began))
	for slowest := c.slowest.Load(); took > slowest && !c.slowest.CompareAndSwap(slowest, took); slowest = c.slowest.Load() {
	}
	if strings.Contains(fmt.Sprint(data), secrets) {
		c.shown.Add(1)
	}
	outcome := "applied"
	switch {
	case errs != nil:
		if outcome = "failed"; !c.failing {
			c.t.Errorf("%s: %v", what, errs)
		}
	case apptest.At(data, "m") != nil && apptest.At(data, "m.applied") != true:
		outcome = "refused"
	}
	c.mu.Lock()
	c.done[what+" "+outcome]++
	c.mu.Unlock()
	return data
}

func (c *crowd) bringIn(n int) {
	var rows []object
	for i := range 3 {
		rows = append(rows, object{"agentCode": fmt.Sprint("R", i), "customerId": fmt.Sprint("C", n)})
	}
	began := time.Now()
	r := c.c.Upload(c.t, `mutation($input: BulkImportInput!) { m: bulkImport(input: $input) { applied userErrors { message } } }`, object{"entity": "AGENT", "initiator": "file", "key": fmt.Sprint("K", began.UnixNano())}, file(rows))
	c.answered("import", began, r.Data, r.Errors)
}

// takeBack takes the newest change back that fits a filter.
func (c *crowd) takeBack(filter object) {
	data := c.ask("look", `query($f: ChangeFilter) { changes(first: 1, filter: $f) { nodes { sequence } } }`, object{"f": filter})
	for _, node := range nodes(apptest.At(data, "changes")) {
		c.ask("undo", `mutation($n: Long!) { m: changeUndo(input: {sequence: $n, initiator: "undoer"}) { applied undone { field values { old new } } conflicts { sequence } userErrors { code message } } }`, object{"n": apptest.At(node, "sequence")})
	}
}

// Writers, revealers, undoers and imports of the same agents meet: each answer that shows a
// value has its entry; numbers follow the instants of each object's changes; what is told of a
// field leads from each change to the next, and to the value that it has; the chain is whole.
func TestTakingBackBesideOthers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		t.Parallel() // it waits
		c := newCrowd(t, s, *beside)
		reveals := func() string {
			return text(apptest.At(c.c.Query(t, `{ auditLog(filter: {kind: REVEAL}) { totalCount } }`, nil), "auditLog.totalCount"))
		}
		if reveals() != "0" {
			t.Fatal("something is revealed before the beginning")
		}
		c.shown.Store(0)
		c.bringIn(0) // or the first change that is taken back may be the registration
		for i := range 3 {
			code := fmt.Sprint("R", i)
			c.act(func(n int) {
				c.ask("write", `mutation($in: AgentUpdateInput!) { m: agentUpdate(input: $in) { applied userErrors { message } } }`, object{"in": object{"agentCode": code, "governmentIdentifier": fmt.Sprintf("%s%04d", secrets, n+1), "middleName": fmt.Sprint("M", n)}})
				c.ask("period", `mutation($in: PayStatusPeriodApplyInput!) { m: payStatusPeriodApply(input: $in) { applied userErrors { message } } }`, object{"in": object{"agentCode": code, "status": []string{"Active", "Suspended"}[n%2], "effectiveFrom": day(today + n%5)}})
			})
		}
		c.act(func(int) { c.takeBack(object{"entityType": "Agent", "entityKey": "R0"}) })
		c.act(func(n int) { c.takeBack(object{"entityType": "Agent", "by": "file"}); c.bringIn(n) })
		c.act(func(n int) {
			c.ask("reveal", `query($code: String!) { agent(agentCode: $code) { governmentIdentifier(reveal: true) } }`, object{"code": fmt.Sprint("R", n%3)})
			c.ask("reveal", `{ changes(first: 2, filter: {entityType: "Agent", entityKey: "R1", field: "governmentIdentifier"}) { nodes { values(reveal: true) { old new } } } }`, nil)
		})
		c.wg.Wait()
		if shown := fmt.Sprint(c.shown.Load()); shown != reveals() || shown == "0" {
			t.Errorf("%s answers showed a value, and %s entries say so", shown, reveals())
		}
		for i := range 3 {
			c.follow(fmt.Sprint("R", i))
		}
		if check := apptest.At(c.c.Query(t, `{ auditTrailCheck { isIntact reason } }`, nil), "auditTrailCheck"); apptest.At(check, "isIntact") != true {
			t.Errorf("the trail: %v", check)
		}
		if took := time.Duration(c.slowest.Load()); took > 2*time.Second {
			t.Logf("SLOW: a request took %s", took)
		}
		t.Logf("%v, at most %s", c.done, time.Duration(c.slowest.Load()))
		c.w.RebuildNow(t, apptest.Acme)
		apptest.Sound(t, s, c.w.Clock)
	})
}

// follow follows the changes of an agent, oldest first.
func (c *crowd) follow(code string) {
	c.t.Helper()
	agent := apptest.At(c.c.Query(c.t, `query($code: String!) { agent(agentCode: $code) { middleName customerId } }`, object{"code": code}), "agent")
	last := map[string]string{}
	var at, number string
	for after := any(nil); ; {
		p := apptest.At(c.c.Query(c.t, `query($code: String, $before: String) { changes(last: 100, before: $before, filter: {entityType: "Agent", entityKey: $code}) {
			pageInfo { hasPreviousPage startCursor } nodes { sequence at field values { old new } } } }`, object{"code": code, "before": after}), "changes")
		page := nodes(p)
		for i := len(page) - 1; i >= 0; i-- {
			n := page[i]
			is, seq := text(apptest.At(n, "at")), text(apptest.At(n, "sequence"))
			if seq != number && number != "" && !(instant(c.t, is).After(instant(c.t, at))) {
				c.t.Errorf("%s: entry %s of %s follows entry %s of %s", code, seq, is, number, at)
			}
			at, number = is, seq
			field := text(apptest.At(n, "field"))
			if field != "middleName" && field != "customerId" {
				continue
			}
			values := apptest.At(n, "values").([]any)
			if len(values) != 1 {
				c.t.Errorf("%s %s: %d values", code, field, len(values))
				continue
			}
			if old := text(apptest.At(values[0], "old")); old != last[field] {
				c.t.Errorf("%s %s: entry %s changes %q, which was %q", code, field, seq, old, last[field])
			}
			last[field] = text(apptest.At(values[0], "new"))
		}
		if apptest.At(p, "pageInfo.hasPreviousPage") != true {
			break
		}
		after = apptest.At(p, "pageInfo.startCursor")
	}
	for field, told := range last {
		if is := text(apptest.At(agent, field)); is != told {
			c.t.Errorf("%s %s is %q, and was last changed to %q", code, field, is, told)
		}
	}
}

func instant(t *testing.T, text string) time.Time {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return at
}

// Whatever dies in the middle of an undo, what an import has set for several agents is set back
// for all of them or for none: here connections of PostgreSQL die.
func TestUndoWhileConnectionsDie(t *testing.T) {
	t.Parallel() // it waits
	s := dbtest.Postgres(t)
	c := newCrowd(t, s, time.Minute)
	c.failing = true
	c.act(func(n int) { c.bringIn(n); c.takeBack(object{"entityType": "Agent", "by": "file"}) })
	c.act(func(int) { c.takeBack(object{"entityType": "Agent", "by": "undoer"}) })
	c.act(func(int) {
		data, _ := c.c.GraphQL(t, `{ agents(first: 5) { nodes { customerId } } }`, nil)
		values := apptest.Each(data, "agents.nodes", "customerId")
		for _, v := range values {
			if v != values[0] {
				t.Errorf("a part of an import: %v", values)
			}
		}
	})
	// On a slow machine nothing would end before its connection died: each time, an undo may.
	owner := dbtest.Owner(t, s)
	killed, until := 0, time.Now().Add(*beside)
	c.act(func(int) {
		for before := c.count("undo applied"); c.goesOn() && c.count("undo applied") == before; {
			time.Sleep(5 * time.Millisecond)
		}
		time.Sleep(rand.N(50 * time.Millisecond))
		rows, err := store.Collect(context.WithoutCancel(t.Context()), owner, store.ScanOne[bool], `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
			WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle' ORDER BY random() LIMIT 1`)
		if err == nil {
			killed += len(rows)
		}
		c.enough.Store(killed > 10 && time.Now().After(until))
	})
	c.wg.Wait()
	c.failing = false
	t.Logf("%d connections died: %v", killed, c.done)
	if killed == 0 {
		t.Error("nothing happened")
	}
	for i := range 3 {
		c.follow(fmt.Sprint("R", i))
	}
	c.w.RebuildNow(t, apptest.Acme)
	apptest.Sound(t, s, c.w.Clock)
}

// An undo fails whole: whichever of its statements fails, nothing is changed by it, and sent
// again it does what it would have done.
func TestUndoFailsWhole(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Now: now, Development: true})
		failing := w.Served(w.App)
		f := failing.WithFaults(t, 1, true)
		for seed := range 3 {
			l := begin(t, w, "oracle", map[string]int{})
			rapid.Custom(func(r *rapid.T) int {
				l.r = r
				for range 4 {
					l.draw(often)
				}
				return len(l.log)
			}).Example(seed)
			if l.r = nil; len(l.log) == 0 {
				continue
			}
			last := l.log[len(l.log)-1]
			failing.WithToken(l.tenant, l.token).GraphQL(t, `mutation($n: Long!) { changeUndo(input: {sequence: $n}) { applied undone { field } conflicts { sequence } userErrors { code message } } }`, object{"n": json.Number(last.numbers[0])})
		}
		if t.Logf("%d requests failed", f.Tried); f.Tried < 10 {
			t.Error("too few requests failed to tell anything")
		}
	})
}
