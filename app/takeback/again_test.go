package takeback

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/dbtest"
)

// bends are statements that have the database keep another name than the one it is given.
var bends = map[bool][]string{
	false: {"CREATE TRIGGER bends AFTER UPDATE ON agency_agent WHEN NEW.common_name = 'Ann' BEGIN UPDATE agency_agent SET common_name = 'Bent' WHERE id = NEW.id; END"},
	true: {"CREATE FUNCTION bend() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN NEW.common_name := ''Bent''; RETURN NEW; END'",
		"CREATE TRIGGER bends BEFORE UPDATE ON agency_agent FOR EACH ROW WHEN (NEW.common_name = 'Ann') EXECUTE FUNCTION bend()"},
}

// That everything is as before is read, and not believed: an undo that leaves another value is
// a fault, and changes nothing.
func TestUndoIsReadAgain(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, s *store.Store) {
		w := apptest.New(t, s, apptest.Options{Now: now})
		l := begin(t, w, "oracle", map[string]int{})
		l.send("agentRegister", object{"agentCode": "A1", "firstName": "Ann", "lastName": "Lee", "commonName": "Ann", "status": "Active", "startDate": "2026-06-01T12:00:00Z", "teams": list(object{"membership": object{"level": 20}})}, nil)
		renamed := l.send("agentUpdate", object{"agentCode": "A1", "commonName": "Annie", "email": "a@acme.example"}, nil)
		owner := dbtest.Owner(t, s)
		if err := owner.InTx(t.Context(), func(ctx context.Context, tx *store.Tx) error {
			for _, statement := range bends[tx.Postgres()] {
				if _, err := tx.Exec(ctx, statement); err != nil {
					return err
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		data, errs := l.c.GraphQL(t, `mutation($n: Long!) { changeUndo(input: {sequence: $n}) { applied userErrors { message } } }`, object{"n": json.Number(renamed.numbers[0])})
		if len(errs) != 1 || errs[0].Code() != "INTERNAL_SERVER_ERROR" {
			t.Errorf("%v %v, want a fault of the server", data, errs)
		}
		l.nothing("an undo that left another value")
	})
}
