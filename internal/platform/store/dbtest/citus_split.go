package dbtest

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strings"
)

// splitReasons are the statements that Citus sends to several shards, with the reason.
// All others have to say whose they are, in every table that they name: requests of both
// doors all do.
var splitReasons = map[string]string{
	`^SELECT e\.tenant_id, e\.id FROM export e WHERE e\.status = 'QUEUED'`:                                           "looks for an export that nobody writes, of any agency",
	`^SELECT a\.tenant_id FROM \(SELECT DISTINCT tenant_id FROM webhook_subscription`:                                "looks for agencies with something to deliver",
	`^SELECT s\.tenant_id, s\.id FROM webhook_subscription s`:                                                        "looks for subscriptions with something to deliver",
	`^SELECT DISTINCT m\.tenant_id, m\.subscription_id FROM webhook_message`:                                         "looks for messages that a wrong clock put off",
	`^SELECT (\(SELECT count\(\*\) FROM webhook_message WHERE state|m\.next_attempt_at FROM webhook_subscription s)`: "the metrics of all deliveries",
	`^SELECT DISTINCT tenant_id FROM outbox_event WHERE position IS NULL`:                                            "looks for agencies whose events have no position",
	`^SELECT DISTINCT tenant_id FROM audit_unlinked`:                                                                 "looks for agencies with entries that wait for their places",
	`^SELECT b\.tenant_id, b\.team_id, t\.time_zone`:                                                                 "looks for teams that are behind",
	`^SELECT h\.tenant_id, t\.identifier, h\.seq, h\.hash FROM audit_head`:                                           "notes the ends of all trails",
	`^SELECT e\.seq, e\.hash FROM audit_entry e JOIN tenant`:                                                         "compares noted ends with the trails, by the names of agencies",
	`^SELECT id FROM tenant EXCEPT`:                                                                                  "completes agencies after a migration",
	`^SELECT tenant_id, count\(\*\) FROM `:                                                                           "upline doctor counts by agency",
	`^SELECT (trace_id FROM outbox_event WHERE|count\(\*\), coalesce\(min\(m\.sequence\))`:                           "the ledger compares what arrived, in the end",
	`^INSERT INTO agency_later `:                                                                                     "a migration fills a table of all agencies, in a test",
	`^SELECT count\(\*\) FROM \w+( c)? WHERE (NOT \(|(c\.)?\w+ IS NOT NULL AND )`:                                    "upline doctor looks through whole tables",
}

var explained = regexp.MustCompile(strings.Join(slices.Collect(maps.Keys(splitReasons)), "|"))

// unexplained returns the statements of this process that Citus sent to several shards for
// no known reason.
func (s *server) unexplained() ([]string, error) {
	if s.citus == nil || s.err != nil {
		return nil, nil
	}
	file, err := os.Open(s.data() + "-log/split.json")
	if err != nil {
		return nil, err
	}
	defer file.Close()
	found := map[string]int{}
	for lines := json.NewDecoder(file); ; {
		var line struct{ Message, Statement string }
		if err := lines.Decode(&line); errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) { // the server writes on
			break
		} else if err != nil {
			return nil, err
		}
		if statement := strings.Join(strings.Fields(line.Statement), " "); strings.HasPrefix(line.Message, "multi-task query") && !explained.MatchString(statement) {
			found[statement]++
		}
	}
	var all []string
	for statement, n := range found {
		all = append(all, fmt.Sprintf("%d × %s", n, statement))
	}
	slices.Sort(all)
	return all, nil
}

// failSplit says what Citus sent to several shards, and fails the package for it.
func failSplit(code int) int {
	split, err := postgres.unexplained()
	if err != nil {
		fmt.Println(err)
		return 1
	}
	for _, statement := range split {
		fmt.Println("FAIL: sent to several shards:", statement)
		code = 1
	}
	return code
}
