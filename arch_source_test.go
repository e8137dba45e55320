package upline_test

import (
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// House rules that a reader would otherwise have to remember, over the files
// written by hand.

// namesTable finds the tables of a statement, or of a piece of one.
var namesTable = regexp.MustCompile(`\b(?:FROM|JOIN|UPDATE|INTO) ([a-z_]+)\b`)

// everyTenant are the functions whose statements name no tenant, each with its reason.
var everyTenant = map[string]string{
	"app/observe_waiting.go newWaitingMetrics":          "counts the work that waits, of every tenant",
	"internal/hierarchy/dated.go datedOf":               "its caller writes the condition with the statement",
	"internal/hierarchy/dated.go with":                  "a part of datedOf's statement",
	"internal/identity/session.go sessionUsed":          "by the id of a session that was found by its secret",
	"internal/platform/oauth/store.go APIKeyUsed":       "by the id of a key that was found by its hash",
	"internal/platform/oauth/store_grant.go lockGrant":  "a token names its grant before there is a tenant",
	"internal/platform/oauth/store_grant.go endGrant":   "a token names its grant before there is a tenant",
	"internal/platform/oauth/store_grant.go redeem":     "a token names its grant before there is a tenant",
	"internal/platform/oauth/store_grant.go endGrantOf": "a token names its grant before there is a tenant",
	"internal/platform/oauth/store_grant.go GrantLives": "a token names its grant before there is a tenant",
}

// TestStatementsNameTheTenant: a function whose SQL names a table of tenants names the
// tenant, too. A statement without it would read or change the rows of every agency.
func TestStatementsNameTheTenant(t *testing.T) {
	tables, used := tenantTables(t), map[string]bool{}
	for _, f := range handWritten(t) {
		if f.test || !(fits("internal/...", f.pkg) || fits("app/...", f.pkg) || fits("cmd/...", f.pkg)) || fits("internal/platform/store/dbtest", f.pkg) {
			continue
		}
		for _, d := range f.syntax.Decls {
			found, named := "", false
			ast.Inspect(d, func(n ast.Node) bool {
				if text, ok := n.(*ast.BasicLit); ok && text.Kind == token.STRING {
					named = named || strings.Contains(text.Value, "tenant_id")
					for _, match := range namesTable.FindAllStringSubmatch(text.Value, -1) {
						if tables[match[1]] {
							found = match[1]
						}
					}
				}
				return true
			})
			if found == "" || named {
				continue
			}
			at := f.path + " " + nameOf(d)
			if used[at] = true; everyTenant[at] == "" {
				t.Errorf("%s: a statement on %s names no tenant", at, found)
			}
		}
	}
	for at := range everyTenant {
		if !used[at] {
			t.Errorf("%s needs no reason", at)
		}
	}
}

// tenantTable finds the tables that migrations make with a column of the tenant.
var tenantTable = regexp.MustCompile(`(?s)CREATE TABLE (\w+) \([^;]*?\btenant_id \w+ NOT NULL`)

// tenantTables are the tables whose rows belong to a tenant.
func tenantTables(t *testing.T) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, text := range sqliteMigrations(t) {
		for _, found := range tenantTable.FindAllStringSubmatch(text, -1) {
			all[found[1]] = true
		}
	}
	return all
}

// nameOf is the name of a declaration.
func nameOf(d ast.Decl) string {
	switch d := d.(type) {
	case *ast.FuncDecl:
		return d.Name.Name
	case *ast.GenDecl:
		if v, ok := d.Specs[0].(*ast.ValueSpec); ok {
			return v.Names[0].Name
		}
	}
	return ""
}

// TestDatabaseSQL: outside internal/platform/store, database/sql gives value types only.
func TestDatabaseSQL(t *testing.T) {
	allowed := map[string][]string{
		"database/sql":        {"Null", "NullString", "NullInt64", "NullInt32", "NullTime", "NullBool", "Scanner"},
		"database/sql/driver": {"Valuer", "Value"},
	}
	for _, f := range handWritten(t) {
		if f.test || fits("internal/platform/store/...", f.pkg) {
			continue
		}
		for pkg, names := range allowed {
			for _, s := range selections(f, pkg) {
				if !slices.Contains(names, s.Sel.Name) {
					t.Errorf("%s: %s.%s: statements go through internal/platform/store", files.Position(s.Pos()), path.Base(pkg), s.Sel.Name)
				}
			}
		}
	}
}

// door counts the calls of a function that lifts a limit. Each one is a decision: a
// new one is added to its table, with its reason, in the same change.
type door struct {
	calls int
	why   string
}

// systemDoors are the calls of tenant.System, whose queries see every tenant.
var systemDoors = map[string]door{
	"internal/exchange/export/work.go":   {1, "each process looks for exports of any tenant that nobody writes; each is then read as who asked for it"},
	"internal/platform/events/number.go": {1, "the job looks for tenants with events that have no position; each is then read as its tenant"},
	"internal/webhooks/dispatcher.go":    {2, "each process looks for tenants and subscriptions with something to deliver, and for messages that wait longer than any may; each is then handled as its tenant"},
	"internal/platform/audit/link.go":    {1, "each process looks for tenants with entries that wait for their places; each is then linked as its tenant"},
	"internal/platform/audit/heads.go":   {1, "the platform's trail notes the heads of all tenants"},
	"internal/webhooks/backlog.go":       {1, "the metrics count the messages of all tenants, and name none"},
	"internal/hierarchy/job.go":          {1, "the tick looks for teams of any tenant that are behind; each is then rebuilt as its tenant"},
}

// wholeDoors are the calls of tenant.Whole, whose statements are not narrowed to
// the downline of a limited caller.
var wholeDoors = map[string]door{
	"internal/platform/store/query.go":       {1, "which tables lost rows decides how others are found; it says no more than that"},
	"internal/agency/imports/import.go":      {1, "an import is compared with what is there of the whole agency; a limited caller is refused before (bulkimport.Run)"},
	"internal/agency/agent_search.go":        {1, "whose keys are looked at anew for what was known at an instant; who is found is read with the limit"},
	"internal/insights/query_eligibility.go": {1, "an upline whom a limited caller does not see is not one that was deleted; nothing above the caller's own agent is looked for"},
	"internal/insights/scope.go":             {1, "how large a downline is beside the agency decides how the database reads"},
	"internal/agency/record/write.go":        {1, "a write must know what is unique and what would be a cycle; LockAgent and LockHolder ask for whom the caller sees"},
	"internal/authorization/question.go":     {1, "whether an agent may sell depends on uplines whom a limited caller does not see; it asks about agents that the caller sees, and leaves the others out of the answer"},
	"internal/platform/audit/list.go":        {1, "it asks how many entries there are, so that those of a request are looked for among the last; the entries are read with the limit"},
	"internal/platform/audit/reveal.go":      {1, "one appends to the chain for several callers, and reads nothing for any of them"},
	"internal/platform/events/number.go":     {1, "every event gets its position, whoever reads first"},
	"internal/platform/audit/link.go":        {1, "every entry gets its place in the chain, whoever reads first"},
	"internal/exchange/export/service.go":    {1, "one writes an export of the caller's own, and the end of the audit trail; its rows are read with the limit"},
	"internal/identity/session.go":           {1, "a caller signs itself out everywhere, and names nobody"},
	"internal/platform/past/past.go":         {1, "it reads what entries of the trail are about, which the caller sees already"},
	"internal/platform/past/explain.go":      {1, "the caller sees the object"},
	"internal/platform/past/unrecorded.go":   {1, "an operator compares rows with the trail"},
	"internal/platform/past/undo.go":         {1, "what is changed back is checked as the changes were, and which changes may be taken back is checked before"},
	"internal/platform/tail/subscription.go": {1, "the reader of a tenant is shared; a subscription shows what its caller may see"},
}

// cheapDoors are the calls of identity.CheapPasswords, whose hashes are quickly guessed.
var cheapDoors = map[string]door{
	"app/apptest/apptest.go": {1, "tests make many users"},
}

// TestDoors counts them.
func TestDoors(t *testing.T) {
	for called, doors := range map[string]map[string]door{
		"internal/tenant.System": systemDoors, "internal/tenant.Whole": wholeDoors, "internal/identity.CheapPasswords": cheapDoors,
	} {
		pkg, name, _ := strings.Cut(called, ".")
		found := map[string]int{}
		for _, f := range handWritten(t) {
			if f.test {
				continue
			}
			for _, s := range selections(f, module+"/"+pkg) {
				if s.Sel.Name == name {
					found[f.path]++
				}
			}
		}
		for p, n := range found {
			if n != doors[p].calls {
				t.Errorf("%s calls %s %d times, the table of its doors says %d", p, called, n, doors[p].calls)
			}
		}
		for p := range doors {
			if found[p] == 0 {
				t.Errorf("%s does not call %s any more: take it out of the table of its doors", p, called)
			}
		}
	}
}

// TestNoLeftovers: what is left to do is in the tracker or in docs, not in a
// comment that nobody counts.
func TestNoLeftovers(t *testing.T) {
	leftover := regexp.MustCompile(`\b(TO` + `DO|FIX` + `ME)\b`)
	for _, f := range handWritten(t) {
		for _, group := range f.syntax.Comments {
			for _, c := range group.List {
				if leftover.MatchString(c.Text) {
					t.Errorf("%s: a comment that puts work off", files.Position(c.Pos()))
				}
			}
		}
	}
}

// generatedPlaces are the folders and files that generators write.
var generatedPlaces = []string{"ent/db/", "graph/generated/", "graph/model/model_gen.go"}

// TestGeneratedFiles: every generated file says so in its first lines, and to
// whoever reviews a change (.gitattributes). The printed schema.graphql is not
// among them: it is the contract, and its changes are to be read.
func TestGeneratedFiles(t *testing.T) {
	marked := generatedAttributes(t)
	for _, f := range tree(t) {
		in := func(place string) bool {
			return place == f.path || strings.HasSuffix(place, "/") && strings.HasPrefix(f.path, place)
		}
		switch inPlace := slices.ContainsFunc(generatedPlaces, in); {
		case inPlace && !f.generated:
			t.Errorf("%s has no header Code generated … DO NOT EDIT.", f.path)
		case !inPlace && f.generated:
			t.Errorf("%s is generated but not in a place for generated files", f.path)
		case inPlace && !slices.ContainsFunc(marked, in):
			t.Errorf(".gitattributes does not mark %s linguist-generated", f.path)
		}
	}
}

// generatedAttributes returns the paths marked linguist-generated; those of
// folders end with a slash.
func generatedAttributes(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(".gitattributes")
	if err != nil {
		t.Fatal(err)
	}
	var marked []string
	for line := range strings.Lines(string(text)) {
		fields := strings.Fields(line)
		if len(fields) > 1 && (slices.Contains(fields[1:], "linguist-generated=true") || slices.Contains(fields[1:], "linguist-generated")) {
			marked = append(marked, strings.TrimSuffix(fields[0], "**"))
		}
	}
	return marked
}

// handWritten returns the Go files that no generator wrote.
func handWritten(t *testing.T) []*file {
	t.Helper()
	return slices.DeleteFunc(slices.Clone(tree(t)), func(f *file) bool { return f.generated })
}

// selections returns the uses of a package's names in a file: time.Now for the
// package time, under whatever name it is imported.
func selections(f *file, imported string) []*ast.SelectorExpr {
	name := importName(f, imported)
	if name == "" {
		return nil
	}
	var found []*ast.SelectorExpr
	ast.Inspect(f.syntax, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			// A name that the file declares itself has an object.
			if x, ok := s.X.(*ast.Ident); ok && x.Name == name && x.Obj == nil {
				found = append(found, s)
			}
		}
		return true
	})
	return found
}

// importName returns the name a package has in a file, "" when the file does
// not import it.
func importName(f *file, imported string) string {
	for _, s := range f.syntax.Imports {
		if p, err := strconv.Unquote(s.Path.Value); err != nil || p != imported {
			continue
		}
		if s.Name != nil {
			return s.Name.Name
		}
		return path.Base(imported)
	}
	return ""
}

// constants returns the values of a package's string constants of a type.
func constants(t *testing.T, pkg, typeName string) []string {
	t.Helper()
	var values []string
	for _, f := range tree(t) {
		if f.pkg != pkg || f.test {
			continue
		}
		for _, d := range f.syntax.Decls {
			if g, ok := d.(*ast.GenDecl); ok && g.Tok == token.CONST {
				values = append(values, stringConstants(g, typeName)...)
			}
		}
	}
	if len(values) == 0 {
		t.Fatal(fmt.Errorf("%s has no constants of the type %s", pkg, typeName))
	}
	return values
}

func stringConstants(g *ast.GenDecl, typeName string) (values []string) {
	for _, spec := range g.Specs {
		v := spec.(*ast.ValueSpec)
		if name, ok := v.Type.(*ast.Ident); !ok || name.Name != typeName {
			continue
		}
		for _, value := range v.Values {
			if literal, ok := value.(*ast.BasicLit); ok {
				if s, err := strconv.Unquote(literal.Value); err == nil {
					values = append(values, s)
				}
			}
		}
	}
	return values
}
