package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/uplinehq/upline/app/doctor"
	"github.com/uplinehq/upline/internal/platform/store"
)

// nothingWrong is what doctor prints for a sound database.
const nothingWrong = "Nothing is wrong in the database."

type doctorCommand struct {
	database
	Repair bool `help:"Repair what can be repaired without losing data: create missing indexes, rebuild the flattened hierarchy."`
	JSON   bool `help:"Print the findings as a JSON array."`
}

// Help implements kong's hook.
func (*doctorCommand) Help() string {
	return `It reads the whole database, beside a running server, and checks indexes, the rules of the database (references, conditions, on SQLite the file itself), values of enumerations, periods that overlap or are empty, the flattened hierarchy against the periods, the positions of the event feed, the audit trails, whether each change of a row has its entry there, whether every sensitive value can be decrypted, and jobs and exports that nobody works on. It prints no value of any row.

The exit code is 0 when nothing is wrong, or all of it was repaired, and 1 otherwise.`
}

// Run implements the command.
func (c *doctorCommand) Run(ctx context.Context, k *kong.Kong) error {
	s, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := refuseBehind(ctx, s); err != nil {
		return err
	}
	if err := refuseHidden(s); err != nil {
		return err
	}
	v, err := c.vault(ctx, s)
	if err != nil {
		return err
	}
	d := doctor.New(s, v, system)
	bar := newLateProgress("rows")
	d.Told = bar.show
	findings, err := d.Examine(ctx)
	bar.end()
	if err != nil {
		return err
	}
	if c.Repair {
		err = d.Repair(ctx, findings)
	}
	if printErr := c.print(k, findings); printErr != nil {
		return printErr
	}
	if err != nil {
		return err
	}
	return verdict(findings)
}

// refuseHidden refuses a database role from which row-level security hides rows: the
// database would look sounder than it is.
func refuseHidden(s *store.Store) error {
	if s.RowLevelSecurity() {
		return errors.New("row-level security hides rows from this user of the database: run the command as the owner of the tables")
	}
	return nil
}

func (c *doctorCommand) print(k *kong.Kong, findings []doctor.Finding) error {
	if c.JSON {
		if findings == nil {
			findings = []doctor.Finding{} // not null
		}
		return json.NewEncoder(k.Stdout).Encode(findings)
	}
	if len(findings) == 0 {
		_, err := fmt.Fprintln(k.Stdout, nothingWrong)
		return err
	}
	for _, f := range findings {
		state := ""
		switch {
		case f.Repaired:
			state = " [repaired]"
		case f.Repairable:
			state = " [--repair mends it]"
		}
		if _, err := fmt.Fprintf(k.Stdout, "%-20s %-16s %s: %s%s\n", f.Check, f.Tenant, f.Where, f.Problem, state); err != nil {
			return err
		}
	}
	return nil
}

// verdict returns an error if anything is still wrong.
func verdict(findings []doctor.Finding) error {
	wrong := 0
	for _, f := range findings {
		if !f.Repaired {
			wrong++
		}
	}
	if wrong > 0 {
		return fmt.Errorf("things that are wrong in the database: %d", wrong)
	}
	return nil
}
