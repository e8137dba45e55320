package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/oauth/bearer"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

const (
	agentsOfRound    = 3000
	questionsOfRound = 150
	// A page reads at most so many rows, and so many for each byte of its answer. PostgreSQL may read
	// agents or the hierarchy whole, which is quicker in an agency of this size, but none of their
	// 10,000 certifications, 40,000 periods or 80,000 search keys.
	rowsOfPage, rowsPerByte = 2*agentsOfRound + 1200, 2
	// What is counted or added up reads at most so many rows for each agent of the agency, who has
	// 3 certifications and 12 periods.
	rowsPerAgent = 60
	// How long ago the agency was loaded: longer than what questions ask as known then.
	age = 48 * time.Hour
)

// No question reads the tables of an agency whole for a page. Rows are counted, as PostgreSQL's plans
// tell them; time is not.
func TestQuestionsReadWhatTheyAnswer(t *testing.T) {
	cluster := dbtest.NewCluster(t)
	log := explaining(t, cluster)
	s, err := store.Open(t.Context(), cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	log.store = s
	w := apptest.New(t, s, apptest.Options{Now: time.Now().Add(-age)})
	w.LoadDemo(t, apptest.Acme, agentsOfRound)
	w.Clock.Move(age)
	err = s.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
		_, err := tx.Exec(ctx, "ANALYZE")
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	a := &asker{options: options{server: apptest.Issuer, tenant: apptest.Acme, schema: "../../schema.graphql"}, token: w.As(apptest.Acme, bearer.TenantScopes()...).Token(t), issued: time.Now()}
	a.client.Transport = w
	if err := a.load(); err != nil {
		t.Fatal(err)
	}
	known, err := a.gather()
	if err != nil {
		t.Fatal(err)
	}
	d := &drawer{schema: a.schema, openAPI: a.openAPI, known: known, tenant: a.tenant}
	answered := 0
	for n := range questionsOfRound {
		d.Rand, d.pages = rand.New(rand.NewPCG(4, uint64(n))), n%3 > 0
		q := d.question()
		log.rest(t)
		f, err := a.once(q)
		if err != nil {
			t.Fatal(err)
		}
		if f.Status != "ok" {
			continue
		}
		answered++
		most := rowsOfPage + rowsPerByte*f.Bytes
		if !d.pages {
			most += rowsPerAgent * agentsOfRound
		}
		if rows := log.rest(t); rows > most {
			t.Errorf("%d rows, at most %d, for %d bytes: %d %s", rows, most, f.Bytes, n, q.text)
		}
	}
	if answered < questionsOfRound/2 {
		t.Errorf("only %d questions were answered", answered)
	}
}

// planLog is PostgreSQL's log with the plan of each statement, as it was carried out.
type planLog struct {
	file  *os.File
	store *store.Store
	marks int
}

// explaining starts a cluster again, so that it logs plans.
func explaining(t *testing.T, cluster *dbtest.Cluster) *planLog {
	s, err := store.Open(t.Context(), cluster.URL())
	if err != nil {
		t.Fatal(err)
	}
	var data string
	_, err = store.One(t.Context(), s, []any{&data}, "SHOW data_directory")
	if s.Close(); err != nil {
		t.Fatal(err)
	}
	settings, err := os.OpenFile(filepath.Join(data, "postgresql.conf"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = settings.WriteString(`
logging_collector = on
log_directory = 'plans'
log_filename = 'plans'
log_rotation_age = 0
log_rotation_size = 0
session_preload_libraries = 'auto_explain'
auto_explain.log_min_duration = 0
auto_explain.log_analyze = on
auto_explain.log_timing = off
auto_explain.log_format = 'json'
enable_seqscan = off
`)
	if err != nil || settings.Close() != nil {
		t.Fatal(err)
	}
	cluster.Kill()
	cluster.Start(t)
	file, err := os.Open(filepath.Join(data, "plans", "plans"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return &planLog{file: file}
}

// rest returns how many rows the statements have read since it was called before.
func (l *planLog) rest(t *testing.T) (rows int) {
	t.Helper()
	l.marks++
	mark, found := fmt.Sprintf("mark %d of the plans", l.marks), ""
	if _, err := store.One(t.Context(), l.store, []any{&found}, "SELECT '"+mark+"'"); err != nil {
		t.Fatal(err)
	}
	for text := []byte(nil); ; {
		more, err := io.ReadAll(l.file)
		if err != nil {
			t.Fatal(err)
		}
		if text = append(text, more...); !bytes.Contains(text, []byte(mark)) {
			time.Sleep(time.Millisecond)
			continue
		}
		for _, plan := range strings.Split(string(text), "  plan:\n")[1:] {
			var of struct{ Plan planNode }
			if err := json.NewDecoder(strings.NewReader(plan)).Decode(&of); err == nil {
				rows += of.Plan.read()
			}
		}
		return rows
	}
}

// planNode is a step of a plan.
type planNode struct {
	Relation string  `json:"Relation Name"`
	Rows     float64 `json:"Actual Rows"`
	Loops    float64 `json:"Actual Loops"`
	Filtered float64 `json:"Rows Removed by Filter"`
	Checked  float64 `json:"Rows Removed by Index Recheck"`
	Plans    []planNode
}

// read is how many rows of tables the step and those below it have read.
func (n planNode) read() int {
	rows := 0
	if n.Relation != "" {
		rows = int((n.Rows + n.Filtered + n.Checked) * n.Loops)
	}
	for _, below := range n.Plans {
		rows += below.read()
	}
	return rows
}
