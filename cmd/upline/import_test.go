package main

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/problem"
)

const agentHeader = "agentCode,firstName,lastName,status,startDate,teams.default.directUpline\n"

// imported is a command that imports agents, in a folder of its own.
func imported(t *testing.T, d database, file string) *importCommand {
	t.Helper()
	c := &importCommand{recorded: recorded{database: d, initiated: initiated{"pat"}}, Tenant: "acme", Entity: "AGENT", Errors: "failed-rows", File: filepath.Join(t.TempDir(), "agents.csv")}
	if err := os.WriteFile(c.File, []byte(agentHeader+file), 0o600); err != nil {
		t.Fatal(err)
	}
	return c
}

func textOf(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The file of an import is not the one that its rejects are written to, by whichever
// name, and what that held is there until there are others.
func TestRejectsOfAnImport(t *testing.T) {
	d, _ := twoTenants(t)
	const row = "A1,Ana,Diaz,No such,2026-01-01,\n"
	c := imported(t, d, row)
	other := filepath.Join(filepath.Dir(c.File), "other.csv")
	if err := os.Symlink(c.File, other); err != nil {
		t.Fatal(err)
	}
	for _, c.Rejects = range []string{c.File, other} {
		if _, err := printed(t, c.Run); err == nil || !strings.Contains(err.Error(), "--rejects") || textOf(t, c.File) != agentHeader+row {
			t.Errorf("%s: %v, and the file is %q", c.Rejects, err, textOf(t, c.File))
		}
	}
	c.Rejects = filepath.Join(filepath.Dir(c.File), "rejects.csv")
	if _, err := printed(t, c.Run); !errors.Is(err, errRejected) || !strings.Contains(textOf(t, c.Rejects), "2,A1,status,") {
		t.Errorf("%v, and the rejects are %q", err, textOf(t, c.Rejects))
	}
	before := textOf(t, c.Rejects)
	c.Again, c.Map = "second", map[string]string{"x": "no column"}
	if _, err := printed(t, c.Run); err == nil || errors.Is(err, errRejected) || textOf(t, c.Rejects) != before {
		t.Errorf("a refused import: %v, and the rejects are %q", err, textOf(t, c.Rejects))
	}
	c.Map, c.Again, c.DryRun = nil, "third", true
	if err := os.WriteFile(c.File, []byte(agentHeader+strings.Replace(row, "No such", "Active", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := printed(t, c.Run); err != nil || textOf(t, c.Rejects) != "line,key,field,code,message\r\n" {
		t.Errorf("without any: %v, and the rejects are %q", err, textOf(t, c.Rejects))
	}
}

// The rows that an import refuses come back as a file of the same layout: mended, it is brought
// in with the same flags, and refused for the same reasons if it is not.
func TestRejectedRowsAreMended(t *testing.T) {
	d, _ := twoTenants(t)
	c := imported(t, d, "A1,=Ana,Diaz,No such,2026-01-01,\nA2,Bea,Moss,Active,2026-01-01,\nA3,Cy,Moss,Active,soon,\n")
	c.Errors, c.Mend = "failed-rows", filepath.Join(filepath.Dir(c.File), "mend.csv")
	said, err := printed(t, c.Run)
	if !errors.Is(err, errRejected) || !strings.Contains(said, "created 1") || !strings.HasPrefix(textOf(t, c.Mend), strings.TrimSuffix(agentHeader, "\n")+",What is wrong\nA1,'=Ana,Diaz,No such,2026-01-01,,") {
		t.Fatalf("%v %s, and the file is %q", err, said, textOf(t, c.Mend))
	}
	c.File = c.Mend
	c.Mend = filepath.Join(filepath.Dir(c.File), "again.csv")
	if _, err := printed(t, c.Run); !errors.Is(err, errRejected) || textOf(t, c.Mend) != textOf(t, c.File) {
		t.Errorf("%v, and the file is %q", err, textOf(t, c.Mend))
	}
	mended := strings.NewReplacer("No such", "Active", "soon", "2026-01-01").Replace(textOf(t, c.File))
	if err := os.WriteFile(c.File, []byte(mended), 0o600); err != nil {
		t.Fatal(err)
	}
	c.DryRun = true
	if said, err := printed(t, c.Run); err != nil || !strings.Contains(said, "created 2") || !strings.Contains(said, "line 2: A1: new") {
		t.Errorf("mended: %v %s", err, said)
	}
}

// A key of a file is guarded in the file of rejects as it is in every table: people open
// it in a spreadsheet.
func TestRejectsAreNoFormulas(t *testing.T) {
	imported, err := os.Create(filepath.Join(t.TempDir(), "agents.csv"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = imported.Close() })
	path := imported.Name() + ".rejects"
	r, err := openRejects(path, imported)
	if err != nil {
		t.Fatal(err)
	}
	r.write(bulk.Result{Number: 2, Key: "=1+1", Problems: []*problem.Error{problem.Invalid(problem.Required, "is required", "homeAddress", "city")}})
	if err := r.close(nil); err != nil || textOf(t, path) != "line,key,field,code,message\r\n2,'=1+1,homeAddress.city,REQUIRED,is required\r\n" {
		t.Errorf("%v, and the rejects are %q", err, textOf(t, path))
	}
}

// What is printed says whether anything was written: also where no row was accepted,
// but an agent was added whose upline did not come.
func TestWhatAnImportSays(t *testing.T) {
	d, _ := twoTenants(t)
	for _, test := range []struct{ file, want string }{
		{"B1,Ana,Diaz,No such,2026-01-01,\n", "nothing was written\naccepted 0 (created 0, updated 0, unchanged 0), rejected 1"},
		{"B2,Ana,Diaz,Active,2026-01-01,B3\nB3,Eve,Poe,No such,2026-01-01,\n", "imported; key "},
		{"B4,Ana,Diaz,Active,2026-01-01,\n", "imported; key "},
	} {
		out, _ := printed(t, imported(t, d, test.file).Run)
		if !strings.Contains(out, test.want) {
			t.Errorf("of %q it prints\n%s; want %s", test.file, out, test.want)
		}
	}
}

// A limit of nothing is none of the defaults, and is refused by its name.
func TestLimitsAreAboveZero(t *testing.T) {
	good := serveCommand{exportFlags: exportFlags{1, 1, time.Second}, MaxUpload: 1, KeepExports: time.Second}
	if err := good.Validate(); err != nil {
		t.Error(err)
	}
	for flag, change := range map[string]func(c *serveCommand){
		"--export-rows":   func(c *serveCommand) { c.ExportRows = 0 },
		"--export-size":   func(c *serveCommand) { c.ExportSize = -1 },
		"--export-within": func(c *serveCommand) { c.ExportWithin = 0 },
		"--max-upload":    func(c *serveCommand) { c.MaxUpload = 0 },
		"--keep-exports":  func(c *serveCommand) { c.KeepExports = -time.Hour },
	} {
		c := good
		change(&c)
		if err := c.Validate(); err == nil || err.Error() != flag+" must be above 0" {
			t.Errorf("%s: %v", flag, err)
		}
	}
}

// A file of another system is brought in by the flags that say how it differs.
func TestImportOfAStrangersFile(t *testing.T) {
	d, _ := twoTenants(t)
	c := imported(t, d, "")
	c.Map = map[string]string{"Producer": "agentCode", "First": "firstName", "Last": "lastName", "St": "status"}
	c.Skip, c.Values = []string{"Notes"}, []string{"st:A=Active", "St:Gone=x=Terminated"}
	if err := os.WriteFile(c.File, []byte("Producer,First,Last,St,Notes\nZ1,Ana,Diaz,A,x\nZ2,Ben,Poe,On,y\nZ3,Eve,Poe,On,y\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := printed(t, c.Run)
	if !errors.Is(err, errRejected) || !strings.Contains(out, "created 1, ") || !strings.Contains(out, "2 rows: St: The specified pay status is not recognized. Configured are Active, ") || !strings.Contains(out, "(lines 3, 4)") {
		t.Errorf("%v, and it prints\n%s", err, out)
	}
	for _, wrong := range []string{"TX", "St:TX", "St=TX:US"} {
		c.Values = []string{wrong}
		if _, err := printed(t, c.Run); err == nil || !strings.Contains(err.Error(), "HEADER:VALUE=OTHER") {
			t.Errorf("--map-value %s: %v", wrong, err)
		}
	}
	c.Values, c.Map = nil, map[string]string{"phone": ""}
	if _, err := printed(t, c.Run); err == nil || !strings.Contains(err.Error(), `"phone"`) {
		t.Errorf("a header that is mapped to nothing: %v", err)
	}
}

// A file of the trade is understood by the command as by the page: what its rows are, its
// heads, its words; what it does not say is given for all rows, and a check tells it all.
func TestImportOfATradeFile(t *testing.T) {
	d, _ := twoTenants(t)
	c := imported(t, d, "B1,Ana,Diaz,Active,2020-01-01,\n")
	if out, err := printed(t, c.Run); err != nil {
		t.Fatalf("%v, and it prints\n%s", err, out)
	}
	c.Entity, c.Skip, c.Set, c.DryRun = "", []string{"*"}, map[string]string{"jurisdiction": "Florida"}, true
	file := "State list\n\nAgent ID;License TYCL Desc;License Number;Residency Type;License Status;License Issue Date;Zork\nB1;LIFE & HEALTH;=\"0012\";Resident;Valid;03/04/2021;x\nTotal records: 1;;;;;;\n"
	if err := os.WriteFile(c.File, []byte(file), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := printed(t, c.Run)
	for _, want := range []string{"before it is imported: ", "Lines of totals, or about the file itself, are left out. (lines 5)", "stands for as many rows. (lines 4)", "accepted 2 (created 2, "} {
		if err != nil || !strings.Contains(out, want) {
			t.Errorf("%v, and it prints\n%s; want %s", err, out, want)
		}
	}
	c.DryRun = false
	if out, err := printed(t, c.Run); err == nil || !strings.Contains(err.Error(), "say which") {
		t.Errorf("with days of no order: %v, and it prints\n%s", err, out)
	}
	c.Days = "day-first"
	if out, err := printed(t, c.Run); err != nil || !strings.Contains(out, "accepted 2 (created 2, ") {
		t.Errorf("%v, and it prints\n%s", err, out)
	}
}

// A check that is made again and again tells what is new since the last: not what that has told,
// in whatever row it is now, but what went away meanwhile and is there again.
func TestChecksTellWhatIsNew(t *testing.T) {
	d, _ := twoTenants(t)
	c := imported(t, d, "")
	c.DryRun, c.Since = true, filepath.Join(filepath.Dir(c.File), "told")
	row := func(code string) string { return code + ",Ana,Diaz,Active,2026-01-01,\n" }
	told := map[string]bool{}
	for round := range 12 {
		file, now := "", map[string]bool{}
		for _, i := range rand.Perm(6) {
			if rand.N(2) == 0 {
				file, now[fmt.Sprint("N", i)] = file+row(fmt.Sprint("N", i)), true
			}
		}
		if len(now) == 0 {
			continue
		}
		if err := os.WriteFile(c.File, []byte(agentHeader+file), 0o600); err != nil {
			t.Fatal(err)
		}
		said, err := printed(t, c.Run)
		if err != nil {
			t.Fatal(err)
		}
		for code := range now {
			if is := strings.Contains(said, ": "+code+": new"); is == told[code] {
				t.Errorf("round %d, %s was told before: %t, and now: %t\n%s", round, code, told[code], is, said)
			}
		}
		told = now
	}
	if c.DryRun = false; !strings.Contains(fmt.Sprint(c.Run(t.Context())), "--since is for a check") {
		t.Error("an import tells what is new")
	}
}
