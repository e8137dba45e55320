package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/bulkimport"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/identity/preset"
	"github.com/uplinehq/upline/internal/insights/facts"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/past"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

type importCommand struct {
	recorded
	Tenant  string            `help:"Tenant to import into." required:"" placeholder:"IDENTIFIER"`
	Entity  string            `help:"What the rows are: AGENT, CERTIFICATION, UPLINE_PERIOD, LEVEL_PERIOD, PAY_STATUS_PERIOD, PRODUCTION_RECORD, COMMISSION_PAYMENT, or reference data: PAY_STATUS, AGENT_LEVEL, CERTIFICATION_TYPE, JURISDICTION, PROVIDER_COMPANY, TAG, PRODUCT, PRODUCT_RULE. By default what the heads of the file say, if that is certain."`
	File    string            `help:"A workbook (.xlsx), CSV with any separator, or JSON lines." required:"" type:"existingfile"`
	Errors  string            `help:"What happens when a row is refused: everything writes no row at all; failed-rows writes the other rows, and an interrupted import continues when it is run again." default:"everything" enum:"everything,failed-rows"`
	DryRun  bool              `help:"Check every row, and write nothing." aliases:"check"`
	Map     map[string]string `help:"Column that a header stands for, if their names differ: --map \"Producer Code=agentCode\"." mapsep:"none" placeholder:"HEADER=COLUMN"`
	Skip    []string          `name:"skip-column" help:"Header to ignore: --skip-column notes; * ignores all that are not understood." sep:"none" placeholder:"HEADER"`
	Values  []string          `name:"map-value" help:"Translation of a value in the file: --map-value state:TX=US-TX. With nothing after the sign, the value counts as an empty cell." sep:"none" placeholder:"HEADER:VALUE=OTHER"`
	Cells   []string          `name:"cell" help:"What a cell says in place of what the file has there, as a check tells its line: --cell \"12:License State=TX\"." sep:"none" placeholder:"LINE:HEADER=VALUE"`
	Set     map[string]string `help:"Value of a column in all rows, for a column that the file does not have: --set jurisdiction=FL." mapsep:"none" placeholder:"COLUMN=VALUE"`
	From    string            `name:"effective" help:"Day from which on it is what the file says where an agent's history differs: --effective 2026-12-01. The same as --set changesFrom= for agents, and --set effectiveFrom= for the rest." placeholder:"DAY"`
	Kept    string            `name:"mapping" help:"Name of a mapping that is kept for everybody, such as that of a sender; what else is said counts more." placeholder:"NAME"`
	Sheet   string            `help:"Sheet of a workbook; the first one by default." placeholder:"NAME"`
	HeadRow int               `help:"Line with the headers; found by default." placeholder:"LINE"`
	Days    string            `name:"date-order" help:"Whether days begin with the month or the day: month-first, day-first. Found by default, if the file tells." enum:",month-first,day-first" default:""`
	Clear   bool              `name:"blank-clears" help:"An empty cell says that there is no value; otherwise it says nothing."`
	Compare string            `help:"Compare the file with what is held, as what a source says, such as NIPR: --compare NIPR --check tells the differences; without --check they are accepted, and verified. For certifications." placeholder:"SOURCE"`
	On      string            `name:"reported" help:"Day of the report that is compared; today by default." placeholder:"DAY"`
	Whole   string            `help:"About whom the compared file says everything, so that what it does not have ends: nobody, named-agents, all-agents." enum:"nobody,named-agents,all-agents" default:"named-agents"`
	Rows    []int             `help:"Numbers of the rows that are written, as a check tells them; all by default." placeholder:"LINE"`
	Since   string            `help:"File in which a check keeps what it tells, as digests: the next check with it tells only what is new since. For a file that comes every night." type:"path"`
	Again   string            `name:"import-key" help:"Key of the import: an import with the key of a finished one is not repeated. By default the key is made from the file, its entity, error policy and mapping."`
	Mend    string            `name:"rejected-rows" help:"CSV file for the refused rows as they are in the file, with what is wrong beside them: mend them there, and import it with the same flags." type:"path"`
	Rejects string            `help:"CSV file for the refused rows: line, key, field, code and message. Without it the first ones are printed." type:"path"`
}

// errRejected ends the command when rows were rejected.
var errRejected = errors.New("rows were rejected")

// Run implements the command.
func (c *importCommand) Run(ctx context.Context) error {
	return c.within(ctx, c.Tenant, func(s *store.Store, v *vault.Vault, t *tenant.Tenant) error { return c.run(ctx, s, v, t) })
}

func (c *importCommand) run(ctx context.Context, s *store.Store, v *vault.Vault, t *tenant.Tenant) error {
	if c.Since != "" && !c.DryRun {
		return errors.New("--since is for a check: add --check")
	}
	file, err := os.Open(c.File)
	if err != nil {
		return err
	}
	defer file.Close()
	rejects, err := openRejects(c.Rejects, file)
	if err != nil {
		return err
	}
	ctx = audit.WithOrigin(tenant.With(ctx, t), audit.Origin{Operation: audit.Import, Surface: audit.CommandLine, TraceID: rand.Text()})
	agents := agency.New(s, system, v)
	mend := mending{wrong: map[int][]*problem.Error{}}
	mapping, err := c.mapping(ctx, preset.New(s, system, v))
	if err != nil {
		return errors.Join(err, rejects.close(nil))
	}
	done, err := c.bring(ctx, mend.with(rejects), mapping, app.NewImports(s, system, v, agents, facts.New(s, system, v), past.New(s, system, v, agents.Kinds()...)), file)
	if err == nil {
		err = mend.write(c.Mend, file, done)
	}
	if err = rejects.close(err); err != nil {
		return err
	}
	if done.Applied {
		if err := rebuild(ctx, s, agents); err != nil {
			return err
		}
	}
	if c.Since != "" {
		if err := c.sayNew(os.Stdout, done); err != nil {
			return err
		}
	}
	c.say(os.Stdout, done)
	if done.Rejected > 0 {
		return errRejected
	}
	return nil
}

func (c *importCommand) bring(ctx context.Context, rejects rejecting, mapping bulk.Mapping, imports *bulkimport.Service, file io.ReadSeeker) (*bulkimport.Report, error) {
	policy := bulkimport.RejectEverything
	if c.Errors == "failed-rows" {
		policy = bulkimport.RejectFailedRows
	}
	if c.Entity == "" {
		is, err := guess(ctx, imports, file, mapping)
		if err != nil {
			return nil, err
		}
		c.Entity = is
	}
	if c.From != "" {
		column := "effectiveFrom"
		if c.Entity == bulkimport.Agent {
			column = bulk.ChangesFrom
		}
		mapping.Constants = append(mapping.Constants, bulk.Constant{Column: column, Value: c.From})
	}
	compare := bulkimport.Compare{Source: c.Compare, IsWhole: bulkimport.Completeness(strings.ToUpper(strings.ReplaceAll(c.Whole, "-", "_")))}
	if c.On != "" {
		on, err := date.Parse(c.On)
		if err != nil {
			return nil, fmt.Errorf("--reported %w", err)
		}
		compare.On = on
	}
	bar := newProgress("rows")
	defer bar.end()
	return imports.Run(ctx, bulkimport.Import{Compare: compare, Only: c.Rows, FileName: filepath.Base(c.File), Entity: c.Entity, File: file, Mapping: mapping, Policy: policy, Key: c.Again, Initiator: c.Initiator, DryRun: c.DryRun,
		Progress: func(p bulkimport.Progress) { bar.show(importing(p), p.Rows, p.Total) }, Rejected: rejects.write, Restarted: rejects.restart})
}

// guess returns what the rows of a file are, if its heads leave no doubt.
func guess(ctx context.Context, imports *bulkimport.Service, file io.ReadSeeker, m bulk.Mapping) (string, error) {
	_, entity, isSure, err := imports.Understand(ctx, file, "", imports.Names(), m)
	if err == nil && !isSure {
		err = fmt.Errorf("the headers do not say for certain what the rows are, perhaps %s: say --entity", entity)
	}
	return entity, err
}

// mapping reads the flags that say how the file differs. In a value flag the header ends
// at the first colon, and the value at the last equals sign.
func (c *importCommand) mapping(ctx context.Context, presets *preset.Service) (bulk.Mapping, error) {
	m := bulk.Mapping{Skip: c.Skip, Sheet: c.Sheet, HeadRow: c.HeadRow, Clear: c.Clear, Order: bulk.Order(strings.ToUpper(strings.ReplaceAll(c.Days, "-", "_")))}
	for _, column := range slices.Sorted(maps.Keys(c.Set)) {
		m.Constants = append(m.Constants, bulk.Constant{Column: column, Value: c.Set[column]})
	}
	for _, name := range slices.Sorted(maps.Keys(c.Map)) {
		m.Headers = append(m.Headers, bulk.Header{Name: name, Column: c.Map[name]})
	}
	for _, text := range c.Values {
		header, value, named := strings.Cut(text, ":")
		sign := strings.LastIndex(value, "=")
		if !named || sign < 0 {
			return m, fmt.Errorf("--map-value %q must have the form HEADER:VALUE=OTHER, such as state:TX=US-TX", text)
		}
		m.Values = append(m.Values, bulk.Value{Column: header, From: value[:sign], To: value[sign+1:]})
	}
	for _, text := range c.Cells {
		line, rest, named := strings.Cut(text, ":")
		header, value, given := strings.Cut(rest, "=")
		row, err := strconv.Atoi(line)
		if !named || !given || err != nil {
			return m, fmt.Errorf("--cell %q must have the form LINE:HEADER=VALUE, such as 12:State=TX", text)
		}
		m.Cells = append(m.Cells, bulk.Cell{Row: row, Column: header, Value: value})
	}
	if c.Kept == "" {
		return m, nil
	}
	found, err := presets.Named(ctx, preset.FileMapping, c.Kept)
	if err != nil {
		return m, err
	}
	of := make([]*bulk.KeptUnder, len(found))
	for i, p := range found {
		of[i] = &bulk.KeptUnder{Entity: p.Subject, Content: p.Content}
	}
	m.Kept, err = bulk.KeptOf(c.Kept, c.Entity, of)
	return m, err
}

// rebuild brings the flattened hierarchy of the team that imports write to up to date,
// since a server may not be running.
func rebuild(ctx context.Context, s *store.Store, agents *agency.Service) error {
	team, err := agents.Team(ctx, record.DefaultTeam)
	if err == nil {
		_, err = hierarchy.New(s, system).Rebuild(ctx, team)
	}
	return err
}

// say prints the report of the import.
func (c *importCommand) say(w io.Writer, done *bulkimport.Report) {
	for _, p := range done.Doubts {
		fmt.Fprintln(w, "before it is imported:", explainProblem(p))
	}
	for _, r := range done.Remarks {
		fmt.Fprintln(w, r.Message+linesIn(r.Rows, r.First))
	}
	for _, r := range done.Refusals {
		if r.Rows > 1 {
			fmt.Fprintf(w, "%d rows: %s (%s)\n", r.Rows, r.Said, linesOf(r.Rows, r.First))
		}
	}
	shown := done.Changes[:min(len(done.Changes), shownRejections)]
	if c.Since != "" { // they are told already
		shown = nil
	}
	for _, row := range shown {
		fmt.Fprintf(w, "%s: %s\n", placeOf(row), explainChange(row))
	}
	if n := len(done.Changes) - shownRejections; n > 0 && c.Since == "" {
		fmt.Fprintf(w, "… and %d more that would be new or changed\n", done.Created+done.Updated-shownRejections)
	}
	if c.Rejects == "" {
		for _, row := range done.Rejections[:min(len(done.Rejections), shownRejections)] {
			fmt.Fprintf(w, "line %d: %s\n", row.Number, explainRow(row))
		}
		if done.Rejected > shownRejections {
			fmt.Fprintf(w, "… and %d more; --rejects writes all of them to a file\n", done.Rejected-shownRejections)
		}
	}
	switch {
	case c.DryRun:
		fmt.Fprintln(w, "dry run: nothing was written")
	case done.Repeated:
		fmt.Fprintln(w, "this import was finished before, and nothing was done now; key", done.Key)
	case !done.Applied:
		fmt.Fprintln(w, "nothing was written")
	case done.Resumed:
		fmt.Fprintln(w, "continued an interrupted import; key", done.Key)
	default:
		fmt.Fprintln(w, "imported; key", done.Key)
	}
	fmt.Fprintf(w, "accepted %d (created %d, updated %d, unchanged %d), rejected %d\n", done.Accepted, done.Created, done.Updated, done.Unchanged, done.Rejected)
}

// sayNew prints what a check tells that the check before it did not, and keeps what this one tells.
func (c *importCommand) sayNew(w io.Writer, done *bulkimport.Report) error {
	before, err := os.ReadFile(c.Since)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	told, fresh := strings.Fields(string(before)), 0
	now := make([]string, len(done.Changes))
	for i, row := range done.Changes {
		digest := sha256.Sum256([]byte(string(row.Difference) + " " + explainChange(row)))
		if now[i] = hex.EncodeToString(digest[:]); !slices.Contains(told, now[i]) {
			fresh++
			fmt.Fprintf(w, "new: %s: %s\n", placeOf(row), explainChange(row))
		}
	}
	fmt.Fprintf(w, "%d differences, of which %d are new since the last check\n", len(now), fresh)
	if more := done.Created + done.Updated - len(now); more > 0 {
		fmt.Fprintf(w, "%d more are not told, and not looked at for what is new\n", more)
	}
	return os.WriteFile(c.Since, []byte(strings.Join(now, "\n")), 0o600)
}

// differs says what differs, for people.
var differs = map[bulkimport.Difference]string{
	bulkimport.MissingHere: "missing here", bulkimport.MissingThere: "missing there", bulkimport.OtherStatus: "other status", bulkimport.OtherDays: "other days", bulkimport.OtherDetails: "other details",
}

// placeOf says where a change comes from.
func placeOf(row bulkimport.Change) string {
	switch what := differs[row.Difference]; {
	case row.Difference == bulkimport.MissingThere:
		return fmt.Sprintf("%s (--rows %d)", what, row.Number)
	case what != "":
		return fmt.Sprintf("line %d, %s", row.Number, what)
	}
	return fmt.Sprintf("line %d", row.Number)
}

// shownRejections bounds the rejected rows that are printed when there is no file for
// them.
const shownRejections = 20

// explainChange says what a row would make or change; sensitive values are masked.
func explainChange(row bulkimport.Change) string {
	said := append([]string{}, row.Notes...)
	if row.IsNew {
		said = append([]string{"new"}, said...)
	}
	for _, v := range row.Values {
		days := ""
		if v.From != nil {
			days = " from " + v.From.String()
			if v.Through != nil {
				days += " to " + v.Through.String()
			}
		}
		said = append(said, withoutNumbers(v.Field)+days+": "+textOfValues(v.Old)+" → "+textOfValues(v.New))
	}
	return row.Key + ": " + strings.Join(said, "; ")
}

// withoutNumbers leaves the numbers of objects out of a path: those of a check are of nothing.
func withoutNumbers(path string) string {
	return strings.Join(slices.DeleteFunc(strings.Split(path, "."), func(part string) bool { return strings.Trim(part, "0123456789") == "" }), ".")
}

func textOfValues(all []past.Value) string {
	texts := make([]string, len(all))
	for i, v := range all {
		if texts[i] = v.Text; v.Sealed != "" {
			texts[i] = "***"
		}
	}
	return cmp.Or(strings.Join(texts, ", "), "none")
}

// explainRow says why a row was rejected.
func explainRow(row bulk.Result) string {
	text := ""
	if row.Key != "" {
		text = row.Key + ": "
	}
	return text + strings.Join(row.Said, "; ")
}

func explainProblem(p *problem.Error) string {
	if len(p.Field) > 0 {
		return fieldOf(p) + " " + p.Message
	}
	return p.Message
}

// linesOf names the first lines of a number of rows.
func linesOf(rows int, first []int) string {
	lines := make([]string, len(first))
	for i, line := range first {
		lines[i] = strconv.Itoa(line)
	}
	text := "lines " + strings.Join(lines, ", ")
	if rows > len(lines) {
		text += ", …"
	}
	return text
}

// linesIn is linesOf in brackets, or nothing for what is about no line.
func linesIn(rows int, first []int) string {
	if rows == 0 {
		return ""
	}
	return " (" + linesOf(rows, first) + ")"
}

// importing names what an import does.
func importing(at bulkimport.Progress) string {
	if at.Passes > 1 {
		return fmt.Sprintf("importing, pass %d of %d", at.Pass, at.Passes)
	}
	return "importing"
}

type importsCommand struct {
	List importsListCommand `cmd:"" help:"List imports, the last first: when, who, the file, what became of its rows, and its first entry in the audit trail, which upline change undo takes back."`
	Left importsLeftCommand `cmd:"" help:"Write the rows that an import left out as a CSV file of its layout, with what is wrong beside them: mend them there, and import it with the same flags. What is sensitive is not kept, and empty there."`
}

// ofImports is what the commands about imports take.
type ofImports struct {
	database
	Tenant string `help:"Tenant whose imports are looked at." required:"" placeholder:"IDENTIFIER"`
}

// each calls f with the last imports, and what knows more of them.
func (c *ofImports) each(ctx context.Context, most int, f func(ctx context.Context, imports *bulkimport.Service, trail *audit.Trail, all []*bulkimport.Done) error) error {
	return c.within(ctx, c.Tenant, func(s *store.Store, v *vault.Vault, t *tenant.Tenant) error {
		ctx := tenant.With(ctx, t)
		agents := agency.New(s, system, v)
		imports := app.NewImports(s, system, v, agents, facts.New(s, system, v), past.New(s, system, v, agents.Kinds()...))
		list, err := imports.Imports(ctx, imports.Names())
		if err != nil {
			return err
		}
		found, err := list.Page(ctx, page.Args{First: &most})
		if err != nil {
			return err
		}
		return f(ctx, imports, audit.New(s, system, v), found.Items)
	})
}

type importsListCommand struct {
	ofImports
	Most int `name:"first" help:"How many." default:"20"`
}

// Run implements the command.
func (c *importsListCommand) Run(ctx context.Context) error {
	return c.each(ctx, c.Most, func(ctx context.Context, _ *bulkimport.Service, trail *audit.Trail, all []*bulkimport.Done) error {
		writes := make([]int64, len(all))
		for i, d := range all {
			writes[i] = d.Write
		}
		first, err := trail.FirstOf(ctx, writes)
		if err != nil {
			return err
		}
		out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
		fmt.Fprintln(out, "began\tby\trows are\tfile\tnew\tchanged\tas before\tleft out\tentry\tkey")
		for _, d := range all {
			fmt.Fprintf(out, "%s\t%s\t%s\t%s\t%d\t%d\t%d\t%d\t%s\t%s\n", d.StartedAt.Format(time.DateTime), d.Initiator, d.Entity, cmp.Or(nameOf(d.FileName), "-"), d.CreatedCount, d.UpdatedCount, d.UnchangedCount, d.RejectedCount, entryOf(first[d.Write]), d.Key)
		}
		return out.Flush()
	})
}

func nameOf(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func entryOf(sequence int64) string {
	if sequence == 0 {
		return "-"
	}
	return fmt.Sprint(sequence)
}

type importsLeftCommand struct {
	ofImports
	Key    string `arg:"" help:"Key of the import."`
	Output string `short:"o" help:"File to write; the output by default." type:"path"`
}

// mostLooked is among how many of the last imports one is found by its key.
const mostLooked = 1000

// Run implements the command.
func (c *importsLeftCommand) Run(ctx context.Context) error {
	return c.each(ctx, mostLooked, func(ctx context.Context, imports *bulkimport.Service, _ *audit.Trail, all []*bulkimport.Done) error {
		i := slices.IndexFunc(all, func(d *bulkimport.Done) bool { return d.Key == c.Key })
		if i < 0 {
			return fmt.Errorf("no import among the last %d has the key %s", mostLooked, c.Key)
		}
		if c.Output == "" {
			return writeLeft(ctx, os.Stdout, imports, all[i])
		}
		file, err := os.OpenFile(c.Output, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
		if err != nil {
			return err
		}
		if err := writeLeft(ctx, file, imports, all[i]); err != nil {
			return err
		}
		return file.Close()
	})
}
