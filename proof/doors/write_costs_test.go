package doors_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

const (
	scaleDocs       = "../../docs/scale.md"
	writeCostsBegin = "<!-- The costs, written by go test ./proof/doors -run TestCostOfWrites -update -->\n"
	writeCostsEnd   = "<!-- End of the costs. -->"
)

// writeCost is what a write costs PostgreSQL.
type writeCost struct{ statements, trips, indexEntries, logBytes int64 }

// tolerated is by how many hundredths the bytes of the log may differ from the table's:
// where pages are split depends on the numbers that rows got.
const tolerated = 15

// docs/scale.md says what a write of each kind costs PostgreSQL: statements, round trips,
// entries in indexes, bytes in the write-ahead log. A change that makes a write dearer is
// seen here.
func TestCostOfWrites(t *testing.T) {
	cluster := dbtest.NewCluster(t)
	s, err := store.Open(t.Context(), cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	w := apptest.New(t, s, apptest.Options{})
	a := newTrail(t, w, "GRAPHQL")
	for _, code := range []string{"U1", "U2"} {
		apptest.Register(t, a.Caller, code, nil)
	}
	a.Query(t, aProduct, nil)
	log := &writeAheadLog{t: t, store: s, cluster: cluster, ctx: w.Context(t, apptest.Acme, allScopes...)}
	have, replace := between(t, scaleDocs, writeCostsBegin, writeCostsEnd)
	var table strings.Builder
	table.WriteString("\n| Write | statements | round trips | index entries | bytes of log |\n| --- | --: | --: | --: | --: |\n")
	for _, m := range auditedSamples {
		cost := log.costOf(func(ctx context.Context) { a.execute(ctx, t, w, m) })
		fmt.Fprintf(&table, "| `%s` | %d | %d | %d | %d |\n", m.mutation, cost.statements, cost.trips, cost.indexEntries, cost.logBytes)
		if want := keptCost(have, m.mutation); !*update && !cost.near(want) {
			t.Errorf("%s costs %+v; docs/scale.md says %+v. If that has a reason: go test ./proof/doors -run TestCostOfWrites -update", m.mutation, cost, want)
		}
	}
	if *update {
		replace(table.String() + "\n")
	}
}

func (c writeCost) near(want writeCost) bool {
	off := c.logBytes - want.logBytes
	c.logBytes = want.logBytes
	return c == want && max(off, -off)*100 <= want.logBytes*tolerated
}

// keptCost reads the cost of a mutation from the table; it is zero if that has no row.
func keptCost(table, mutation string) (c writeCost) {
	_, row, _ := strings.Cut(table, "| `"+mutation+"` |")
	_, _ = fmt.Sscanf(row, "%d | %d | %d | %d |", &c.statements, &c.trips, &c.indexEntries, &c.logBytes)
	return c
}

// execute sends a sample within this process, where its statements are counted.
func (a *trail) execute(ctx context.Context, t *testing.T, w *apptest.World, m audited) {
	t.Helper()
	arguments := a.filled(t, m, nil)
	document := a.document(t, m, arguments, false, "applied")
	text, err := json.Marshal(arguments)
	if err != nil {
		t.Fatal(err)
	}
	sent := object{}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&sent); err != nil {
		t.Fatal(err)
	}
	answer := w.Graph.Execute(ctx, document, "", sent)
	if text := string(answer.Data); len(answer.Errors) > 0 || !strings.Contains(text, `"userErrors":[]`) {
		t.Errorf("%s: %v %s", m.mutation, answer.Errors, text)
	}
}

// writeAheadLog reads PostgreSQL's log of what it writes.
type writeAheadLog struct {
	t       *testing.T
	store   *store.Store
	cluster *dbtest.Cluster
	// ctx is that of the caller.
	ctx context.Context
}

// logged are the resource manager of a record, its length, its transaction and what it does.
var logged = regexp.MustCompile(`(?m)^rmgr: (\w+) +len \(rec/tot\): +\d+/ +(\d+), tx: +(\d+),.* desc: (\w+)`)

// indexEntry are the records that put an entry into an index.
var indexEntry = map[string]bool{"Btree INSERT_LEAF": true, "Btree SPLIT_L": true, "Btree SPLIT_R": true, "Gist PAGE_UPDATE": true, "Gin INSERT": true}

// costOf is what a write costs.
func (l *writeAheadLog) costOf(write func(context.Context)) (c writeCost) {
	l.t.Helper()
	ctx, statements := store.CountStatements(l.ctx)
	ctx, trips := store.CountTrips(ctx)
	file, from := l.position()
	write(ctx)
	_, to := l.position()
	c.statements, c.trips = statements.Load(), trips.Load()
	for _, record := range logged.FindAllStringSubmatch(l.cluster.Log(l.t, file, from, to), -1) {
		if record[3] == "0" { // not of a transaction, such as what tidies a page
			continue
		}
		length, err := strconv.ParseInt(record[2], 10, 64)
		if err != nil {
			l.t.Fatal(err)
		}
		if c.logBytes += length; indexEntry[record[1]+" "+record[4]] {
			c.indexEntries++
		}
	}
	return c
}

// position is where the log ends, and in which file.
func (l *writeAheadLog) position() (file, at string) {
	l.t.Helper()
	if _, err := store.One(l.t.Context(), l.store, []any{&file, &at}, "SELECT pg_walfile_name(at), at::text FROM pg_current_wal_insert_lsn() at"); err != nil {
		l.t.Fatal(err)
	}
	return file, at
}
