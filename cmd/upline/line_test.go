package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// lineOf runs a command line in this process.
func lineOf(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	code = execute(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}

// A command line that makes no sense is answered by what is wrong, the help of the
// flags it is about, and where the rest of the help is; not by all of it.
func TestMisuseIsShort(t *testing.T) {
	t.Setenv("UPLINE_DATABASE", "") // taken away below, and given back at the end
	ignoreEmptyVariables()
	for _, c := range []struct {
		args, says string
		lines      int
	}{
		{"serve", "missing flags: --database=STRING|postgres://… or the path of an SQLite file. ($UPLINE_DATABASE)|See upline serve --help.", 3},
		{"serve --datbase x", `unknown flag --datbase, did you mean "--database"?|--database=STRING  |See upline serve --help.`, 3},
		{"serve --database x --max-upload 0 --keep-exports 0s", "--max-upload must be above 0; --keep-exports must be above 0|--max-upload=64  |--keep-exports=24h  |See upline serve --help.", 4},
		{"client frob", "unexpected argument frob|See upline client --help.", 2},
	} {
		code, out, errs := lineOf(t, strings.Fields(c.args)...)
		if code != 2 || out != "" || strings.Count(errs, "\n") != c.lines {
			t.Errorf("upline %s: %d, %q, %q; want code 2 and %d lines", c.args, code, out, errs, c.lines)
		}
		for want := range strings.SplitSeq(c.says, "|") {
			if !strings.Contains(errs, want) {
				t.Errorf("upline %s says %q; want %q", c.args, errs, want)
			}
		}
	}
}

// What is no database is refused, and no command but those that make one leaves a
// file behind; a password in a URL is not repeated.
func TestNoStrayDatabase(t *testing.T) {
	folder := t.TempDir()
	t.Chdir(folder)
	missing := filepath.Join(folder, "none", "upline.db")
	for _, c := range []struct{ database, says string }{
		{"postgress://me:hush@host/upline", "postgress: is no kind of database"},
		{"mysql:upline", "mysql: is no kind of database"},
		{"sqlite://file:x.db", "file: is no kind of database"},
		{"host=db password=hush dbname=upline", "by keywords"},
		{"sqlite://", "no name"},
		{missing, "there is no database " + missing},
	} {
		for _, args := range [][]string{{"serve"}, {"tenant", "list"}, {"audit", "verify"}, {"client", "list"}, {"migrate"}} {
			if args[0] == "migrate" && c.database == missing { // is to make it
				continue
			}
			code, out, errs := lineOf(t, append(args, "--database", c.database)...)
			if code != 1 || !strings.Contains(errs, c.says) || strings.Contains(errs+out, "hush") {
				t.Errorf("%v on %s: %d, %q, %q; want %q", args, c.database, code, out, errs, c.says)
			}
		}
	}
	if left, err := os.ReadDir(folder); err != nil || len(left) > 0 {
		t.Errorf("there are files left: %v, %v", left, err)
	}
}

// A key file that is lost is not replaced by another, which opens nothing.
func TestNoStrayKey(t *testing.T) {
	d, _ := twoTenants(t)
	keyFile := d.Database + ".key"
	if err := os.Remove(keyFile); err != nil {
		t.Fatal(err)
	}
	code, _, errs := lineOf(t, "audit", "verify", "--database", d.Database)
	if code != 1 || !strings.Contains(errs, "the key file "+keyFile+" is not there") {
		t.Errorf("without its key: %d, %q", code, errs)
	}
	if _, err := os.Stat(keyFile); err == nil {
		t.Error("another key was made")
	}
}

// "migrate" says which migrations it applied, and that there were none.
func TestMigrateSaysWhatItDid(t *testing.T) {
	d := database{Database: filepath.Join(t.TempDir(), "upline.db")}
	out, err := printed(t, (&migrateCommand{database: d}).Run)
	if err != nil || !strings.HasPrefix(out, "applied 00001_tenant in ") || !strings.Contains(out, "applied 00036 in ") ||
		!strings.Contains(out, " migrations applied: ") {
		t.Errorf("the first time: %q, %v", out, err)
	}
	mustPrint(t, (&migrateCommand{database: d}).Run, "nothing to do")
}

// The version is there as a command and as a flag, and a release sets it.
func TestVersion(t *testing.T) {
	releaseVersion, releaseCommit, releaseDate = "1.2.3", "abc", "2026-01-02T03:04:05Z"
	defer func() { releaseVersion, releaseCommit, releaseDate = "", "", "" }()
	const want = "upline 1.2.3, commit abc, 2026-01-02T03:04:05Z\n"
	code, out, errs := lineOf(t, "version")
	if code != 0 || out != want {
		t.Errorf("upline version: %d, %q, %q", code, out, errs)
	}
	line := exec.Command(os.Args[0], "--version")
	line.Env = append(os.Environ(), asUpline+"=1")
	flag, err := line.Output()
	if err != nil || !strings.HasPrefix(string(flag), "upline ") {
		t.Errorf("upline --version: %q, %v", flag, err)
	}
}

// The shells ask the binary itself what comes next.
func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{"upline mig": "migrate", "upline serve --datab": "--database", "upline tenant ": "create"} {
		ask := exec.Command(os.Args[0])
		ask.Env = append(os.Environ(), asUpline+"=1", "COMP_LINE="+line)
		out, err := ask.Output()
		if err != nil || !strings.Contains(string(out), want+"\n") {
			t.Errorf("%q is completed by %q, %v; want %s", line, out, err, want)
		}
	}
	for shell, want := range map[string]string{"bash": " -C ", "zsh": "bashcompinit", "fish": "complete -f -c upline"} {
		ask := exec.Command(os.Args[0], "completion", shell)
		ask.Env = append(os.Environ(), asUpline+"=1")
		out, err := ask.Output()
		if err != nil || !strings.Contains(string(out), want) {
			t.Errorf("upline completion %s: %q, %v", shell, out, err)
		}
	}
}

// The manual page has every command that the help has, and no folder of the machine that
// it is made on.
func TestManualPage(t *testing.T) {
	show := exec.Command(os.Args[0], "man")
	show.Env = append(os.Environ(), asUpline+"=1")
	page, err := show.Output()
	if err != nil || !strings.HasPrefix(string(page), ".TH UPLINE 1") {
		t.Fatalf("upline man: %.80q, %v", page, err)
	}
	if cache, err := os.UserCacheDir(); err != nil || strings.Contains(strings.ReplaceAll(string(page), `\-`, "-"), cache) {
		t.Errorf("the manual page names %s, %v", cache, err)
	}
	k, err := grammar(&commands{}, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, command := range k.Model.Children {
		if help := strings.ReplaceAll(command.Help, "-", `\-`); !command.Hidden && !strings.Contains(string(page), command.Name) {
			t.Errorf("the manual page lacks %s: %s", command.Name, help)
		}
	}
}
