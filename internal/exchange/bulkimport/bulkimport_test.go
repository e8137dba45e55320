package bulkimport_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

const good = "code,value,other\nA,1,B\nB,2,\n"

// "reject-everything": every row or none; a later row may be referred to.
func TestRejectEverything(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		_, dry := w.bring(t, good, bulkimport.RejectEverything, true)
		if have := w.stored(t); have != "" {
			t.Fatalf("a dry run wrote %s", have)
		}
		if want := "accepted 2 created 2 updated 0 unchanged 0 rejected 0 applied false repeated false resumed false"; dry != want {
			t.Errorf("dry run: %s", dry)
		}
		bad := good + "C,bad,\nD,4,nobody\nE,5\n"
		want := `accepted 0 created 0 updated 0 unchanged 0 rejected 3 applied false repeated false resumed false` +
			` | 4 C [OUT_OF_RANGE value: must not be bad] | 6  [INVALID_FORMAT: The row has 2 cells, and the header has 3] | 5 D [UNKNOWN_UPLINE other: there is none]`
		for _, dryRun := range []bool{true, false} {
			if _, have := w.bring(t, bad, bulkimport.RejectEverything, dryRun); have != want {
				t.Errorf("bad rows, dry run %t: %s\nwant %s", dryRun, have, want)
			}
		}
		if have := w.stored(t); have != "" || w.finished != 0 {
			t.Fatalf("a refused import wrote %s, and finished %d times", have, w.finished)
		}
		if _, have := w.bring(t, good, bulkimport.RejectEverything, false); have != "accepted 2 created 2 updated 0 unchanged 0 rejected 0 applied true repeated false resumed false" {
			t.Errorf("import: %s", have)
		}
		if have := w.stored(t); have != "A=1>B B=2>" || w.finished != 1 {
			t.Errorf("stored %s, finished %d times", have, w.finished)
		}
		// "idempotent by key"
		if _, have := w.bring(t, good, bulkimport.RejectEverything, false); have != "accepted 2 created 2 updated 0 unchanged 0 rejected 0 applied true repeated true resumed false" {
			t.Errorf("again: %s", have)
		}
		if _, have := w.bring(t, "code,value\nB,2\nA,7\n", bulkimport.RejectEverything, false); have != "accepted 2 created 0 updated 1 unchanged 1 rejected 0 applied true repeated false resumed false" {
			t.Errorf("another file: %s", have)
		}
	})
}

// A row that is refused changes nothing, also of what is written in the second pass.
func TestRefusedRowIsLeftOut(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		w.bring(t, "code,value\nA,1\nB,2\n", bulkimport.RejectFailedRows, false)
		want := "accepted 1 created 0 updated 1 unchanged 0 rejected 1"
		if _, have := w.bring(t, "code,value,other\nA,bad,B\nB,3,A\n", bulkimport.RejectFailedRows, false); !strings.HasPrefix(have, want) {
			t.Errorf("import: %s, want %s", have, want)
		}
		if have := w.stored(t); have != "A=1> B=3>A" {
			t.Errorf("stored %s", have)
		}
	})
}

// file has rows enough for several chunks, of which some are bad.
func file(rows int) string {
	var b strings.Builder
	b.WriteString("code,value,other\n")
	for i := range rows {
		value, other := fmt.Sprint(i), ""
		switch {
		case i%700 == 3:
			value = "bad"
		case i%900 == 5:
			other = "nobody"
		case i%10 == 0:
			other = fmt.Sprintf("T%05d", rows-1-i)
		}
		fmt.Fprintf(&b, "T%05d,%s,%s\n", i, value, other)
	}
	return b.String()
}

// "reject-failed-rows, resumable": wherever an import is interrupted, run again it
// ends with the data and the answer of one that was not, and tells of every rejected
// row; a dry run says the same.
func TestInterrupted(t *testing.T) {
	text := file(3500)
	onEach(t, func(t *testing.T, w *world) {
		_, dry := w.bring(t, text, bulkimport.RejectFailedRows, true)
		_, whole := w.bring(t, text, bulkimport.RejectFailedRows, false)
		if have := strings.Replace(dry, "applied false", "applied true", 1); have != whole {
			t.Errorf("the dry run said\n%s\nthe import\n%s", dry, whole)
		}
		want := w.stored(t)
		if !strings.HasPrefix(whole, "accepted 3491 created 3495 ") || len(want) == 0 {
			t.Fatalf("uninterrupted: %s", whole)
		}
		rejections := w.texts(t, "SELECT row_key || problems FROM bulk_import_rejection ORDER BY row_number")
		for at := 1; at <= 8; at++ {
			w.clear(t)
			ofOne := w.texts(t, "SELECT CAST(count(DISTINCT write_id) AS text) FROM audit_entry")[0]
			boom, calls := errors.New("killed"), 0
			w.fail = func([]bulk.Row) error {
				if calls++; calls == at {
					return boom
				}
				return nil
			}
			i := bulkimport.Import{Entity: "TAG", File: strings.NewReader(text), Policy: bulkimport.RejectFailedRows, Initiator: "test", Key: "K"}
			if _, err := w.Run(w.ctx, i); !errors.Is(err, boom) {
				t.Fatal(err)
			}
			w.fail = nil
			rejected := map[int]int{}
			i.Rejected = func(r bulk.Result) { rejected[r.Number]++ }
			r, err := w.Run(w.ctx, i)
			if err != nil {
				t.Fatal(err)
			}
			if have := strings.Replace(told(r), "resumed true", "resumed false", 1); !r.Resumed || len(rejected) != r.Rejected || sorted(have) != sorted(whole) {
				t.Errorf("interrupted at chunk %d: %d told, %s\nwant %s", at, len(rejected), told(r), whole)
			}
			if have := w.stored(t); have != want {
				t.Errorf("interrupted at chunk %d: other data", at)
			}
			if have := w.texts(t, "SELECT row_key || problems FROM bulk_import_rejection ORDER BY row_number"); !slices.Equal(have, rejections) {
				t.Errorf("interrupted at chunk %d: %d rejections are stored, want %d", at, len(have), len(rejections))
			}
			if n, err := strconv.Atoi(ofOne); err != nil || w.texts(t, "SELECT CAST(count(DISTINCT write_id) AS text) FROM audit_entry WHERE write_id IS NOT NULL")[0] != strconv.Itoa(n+1) {
				t.Errorf("interrupted at chunk %d: the trail does not have it as one write more than %s", at, ofOne)
			}
			again, err := w.Run(w.ctx, i)
			if err != nil || !again.Repeated || again.Rejected != r.Rejected || len(again.Rejections) != r.Rejected {
				t.Errorf("again: %v, %+v", err, again)
			}
		}
	})
}

// sorted are the parts of a text in another order: rejections are told as they come.
func sorted(text string) string {
	parts := strings.Split(text, " | ")
	slices.Sort(parts)
	return strings.Join(parts, " | ")
}

func (w *world) clear(t *testing.T) {
	t.Helper()
	if err := w.store.InTx(w.ctx, func(ctx context.Context, tx *store.Tx) error {
		for _, table := range []string{"thing", "bulk_import"} {
			if _, err := tx.Exec(ctx, "DELETE FROM "+table); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

// "the same key with another file is 409"; and what else is refused as a whole.
func TestRefusedImports(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		run := func(i bulkimport.Import) error {
			_, err := w.Run(w.ctx, i)
			return err
		}
		ok := bulkimport.Import{Entity: "TAG", File: strings.NewReader(good), Policy: bulkimport.RejectFailedRows, Initiator: "test", Key: "K"}
		if err := run(ok); err != nil {
			t.Fatal(err)
		}
		tests := map[string]struct {
			change func(i *bulkimport.Import)
			want   problem.Code
		}{
			"another file":   {func(i *bulkimport.Import) { i.File = strings.NewReader(good + "C,3,\n") }, problem.DuplicateKey},
			"another policy": {func(i *bulkimport.Import) { i.Policy = bulkimport.RejectEverything }, problem.DuplicateKey},
			"another header": {func(i *bulkimport.Import) { i.Headers = []bulk.Header{{Name: "x", Column: "value"}} }, problem.DuplicateKey},
			"no entity":      {func(i *bulkimport.Import) { i.Entity = "NOTHING" }, problem.UnknownField},
			"no policy":      {func(i *bulkimport.Import) { i.Policy = "" }, problem.InvalidFormat},
			"no initiator":   {func(i *bulkimport.Import) { i.Initiator = " " }, problem.Required},
			"a long key":     {func(i *bulkimport.Import) { i.Key = strings.Repeat("k", 256) }, problem.TooLong},
			"no file":        {func(i *bulkimport.Import) { i.File = strings.NewReader("") }, problem.Required},
			"cut off":        {func(i *bulkimport.Import) { i.Key, i.File = "", strings.NewReader(good+"C,\"3\nD,4,\n") }, problem.InvalidFormat},
			"no end": {func(i *bulkimport.Import) {
				i.Key, i.File = "", strings.NewReader(good+"C,\""+strings.Repeat("x\n", bulk.MaxRow))
			}, problem.TooLong},
		}
		for name, test := range tests {
			i := ok
			test.change(&i)
			if err := run(i); !problem.Has(err, test.want) {
				t.Errorf("%s: %v, want %s", name, err, test.want)
			}
		}
		limited := tenant.WithCaller(w.ctx, tenant.Caller{Within: new(tenant.Nobody), Clock: clock.At(time.Unix(0, 0))})
		if _, err := w.Run(limited, ok); !problem.Has(err, problem.ForbiddenCode) {
			t.Errorf("a limited caller: %v", err)
		}
		if have := w.stored(t); have != "A=1>B B=2>" {
			t.Errorf("stored: %s", have)
		}
	})
}

// A second process that runs the same import at the same time is told so, and the
// rows are written once.
func TestUnderWayElsewhere(t *testing.T) {
	text := file(2500)
	onEach(t, func(t *testing.T, w *world) {
		i := bulkimport.Import{Entity: "TAG", File: strings.NewReader(text), Policy: bulkimport.RejectFailedRows, Initiator: "test"}
		other, met := i, false
		other.File = strings.NewReader(text)
		i.Progress = func(p bulkimport.Progress) {
			if p.Pass == 1 && p.Rows == 1000 && !met {
				met = true
				if _, err := w.Run(w.ctx, other); err != nil {
					t.Error(err)
				}
			}
		}
		if _, err := w.Run(w.ctx, i); !problem.Has(err, problem.DuplicateKey) || !met {
			t.Errorf("the first one: %v", err)
		}
		i.Progress = nil
		if r, err := w.Run(w.ctx, i); err != nil || !r.Repeated {
			t.Errorf("%+v, %v", r, err)
		}
	})
}

// meets is an entity whose rows, the first time, refer to what was deleted meanwhile.
type meets struct {
	*things
	calls, passed int
}

func (m *meets) Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	results, err := m.things.Apply(ctx, tx, rows, initiator)
	if m.calls++; err != nil || m.calls > 1 {
		return results, err
	}
	return nil, m.miss(ctx, tx)
}

func (m *meets) Second(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error) {
	results, err := m.things.Second(ctx, tx, rows, initiator)
	if m.passed++; err != nil || m.passed > 1 {
		return results, err
	}
	return nil, m.miss(ctx, tx)
}

// miss writes a row of what is not there.
func (*meets) miss(ctx context.Context, tx *store.Tx) error {
	id, _ := tenant.ID(ctx)
	_, err := tx.Exec(ctx, "INSERT INTO bulk_import_rejection (tenant_id, import_key, row_number, row_key, problems) VALUES ($1, 'none', 1, '', '[]')", id)
	return err
}

// What a row refers to may be deleted between its look-up and its write: the rows are
// applied again, as a single operation is.
func TestReferenceIsDeletedMeanwhile(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		for i, policy := range []bulkimport.Policy{bulkimport.RejectEverything, bulkimport.RejectFailedRows} {
			m := &meets{things: w.things}
			imports := bulkimport.New(w.store, clock.At(time.Unix(0, 0)), w.vault, noWords{}, noPast{}, map[string]bulkimport.Entity{"TAG": m})
			r, err := imports.Run(w.ctx, bulkimport.Import{Entity: "TAG", File: strings.NewReader(strings.ReplaceAll(good, "A", fmt.Sprint("A", i))), Policy: policy, Initiator: "test"})
			if err != nil || r.Accepted != 2 || !r.Applied || m.calls < 2 || m.passed < 2 {
				t.Errorf("%s: %v, %+v after %d and %d calls", policy, err, r, m.calls, m.passed)
			}
		}
	})
}
