package upline_test

import (
	"path"
	"slices"
	"testing"
)

// ban forbids functions of a package.
type ban struct {
	pkg   string // import path
	names []string
	// except are packages and files that may call them, each with its reason.
	except map[string]string
	tests  bool // tests may not either
	why    string
}

var bans = []ban{
	{
		pkg: "time", names: []string{"Now", "Since", "Until"},
		except: map[string]string{
			"internal/clock":                 "this is where the time is read",
			"internal/platform/store/dbtest": "it waits for a real server to start",
			"bench/...":                      "a benchmark measures real time",
		},
		why: "today is a parameter: take a clock.Clock",
	},
	{
		pkg: "context", names: []string{"Background", "TODO"},
		except: map[string]string{
			"cmd/...":                             "a process starts with a context of its own",
			"bench/...":                           "a benchmark is a process",
			"internal/platform/store/dbtest":      "a test's database outlives the context of a test",
			"internal/platform/store/postgres.go": "what ends a transaction is not cut off with its statements",
		},
		why: "a call without the caller's context has no tenant, no deadline and no trace",
	},
	{
		pkg: "fmt", names: []string{"Print", "Printf", "Println"},
		except: map[string]string{
			"cmd/...":                        "a command writes to its terminal",
			"bench/...":                      "a benchmark reports to its terminal",
			"mutants":                        "a command reports to its terminal",
			"internal/platform/store/dbtest": "it says at the end of a run what was left out",
		},
		why: "return it, or log it with log/slog",
	},
	{
		pkg: "log", names: []string{"Print", "Printf", "Println", "Fatal", "Fatalf", "Fatalln", "Panic", "Panicf", "Panicln"},
		except: map[string]string{
			"cmd/...":      "a command writes to its terminal",
			"cmd/generate": "a command too, of the generators",
		},
		why: "return it, or log it with log/slog",
	},
	{
		pkg: module + "/internal/problem", names: []string{"TooLong"},
		except: map[string]string{
			"internal/check":                     "this is where texts are checked",
			"internal/identity/password.go":      "a password is bounded in characters and in bytes",
			"internal/exchange/bulk":             "rows of a file are bounded in bytes",
			"internal/exchange/export/create.go": "a query is bounded in bytes",
			"internal/insights/recipe/write.go":  "a definition is bounded in bytes",
			"internal/identity/preset/write.go":  "a content is bounded in bytes",
		},
		why: "internal/check checks texts, for every area",
	},
	{
		pkg: "github.com/vektah/gqlparser/v2/ast", names: []string{"InlineFragment"},
		except: map[string]string{
			"graph/selection": "this is where selections are walked",
			"graph/plan":      "it leaves out and merges fields, as the executor does",
			"graph/limits":    "it measures a fragment once, however often it is spread",
			"graph/extract":   "it writes a selection anew",
		},
		why: "graph/selection walks selections",
	},
	{
		pkg: module + "/internal/platform/vault", names: []string{"New"},
		except: map[string]string{
			"cmd/upline/main.go":   "this is where commands open the keys of a database",
			"cmd/upline/rotate.go": "it wraps the keys by another key",
			"app":                  "a server is given its store and its key",
			"app/apptest":          "tests open databases of their own",
		},
		why: "a command opens its store and its vault by database.with",
	},
	{
		pkg: module + "/internal/platform/idempotency", names: []string{"Record"},
		except: map[string]string{"internal/platform/change": "the frame of every write"},
		why:    "a change goes through internal/platform/change",
	},
	{
		pkg: module + "/internal/platform/version", names: []string{"Checked"},
		except: map[string]string{"internal/platform/change": "the frame of every write"},
		why:    "a change goes through internal/platform/change",
	},
	{
		pkg: module + "/internal/platform/store", names: []string{"IsForeignKeyViolation"},
		except: map[string]string{
			"internal/platform/change":              "when a change is tried again is said once",
			"internal/exchange/bulkimport/apply.go": "a chunk is tried again inside the transaction of its import",
		},
		why: "a change goes through internal/platform/change, which tries it again",
	},
}

// TestBannedCalls holds the bans.
func TestBannedCalls(t *testing.T) {
	for _, f := range handWritten(t) {
		for _, b := range bans {
			if (f.test && !b.tests) || excepted(b.except, f) {
				continue
			}
			for _, s := range selections(f, b.pkg) {
				if slices.Contains(b.names, s.Sel.Name) {
					t.Errorf("%s: %s.%s: %s", files.Position(s.Pos()), path.Base(b.pkg), s.Sel.Name, b.why)
				}
			}
		}
	}
}

// bannedImports are packages that nothing but tests imports, apart from some, with the reason.
var bannedImports = []ban{
	{pkg: "unsafe", why: "our code is safe for memory"},
	{pkg: "C", why: "our code is safe for memory, and builds without a C compiler"},
	{pkg: "crypto/md5", why: "its collisions are easily made"},
	{pkg: "crypto/sha1", why: "its collisions can be made"},
	{pkg: "crypto/cipher", why: "internal/platform/vault encrypts, with Tink"},
	{
		pkg: "os/exec", why: "the server starts no other program",
		except: map[string]string{
			"bench/...": "it starts databases and peers", "mutants": "it runs tests", "deploy/...": "it asks go for the modules", "app/clientstest": "it starts clients",
			"internal/platform/store/dbtest": "it starts databases",
		},
	},
	{
		pkg: "math/rand/v2", why: "what must not be guessed is made by crypto/rand",
		except: map[string]string{
			"internal/platform/store/tx.go": "it spreads waiting times", "internal/webhooks/retry.go": "it spreads waiting times", "internal/demo": "the same seed makes the same demo",
			"app/apptest": "it chooses faults", "internal/platform/store/dbtest": "it chooses a port", "bench/...": "it chooses what is asked",
		},
	},
	{pkg: "math/rand", why: "math/rand/v2 is better"},
}

// TestBannedImports holds them (OWASP ASVS 1.2.5, 1.4.1, 7.2.3, 11.2.1, 11.4.1, 11.5.1).
func TestBannedImports(t *testing.T) {
	for _, f := range tree(t) {
		for _, b := range bannedImports {
			if !f.test && slices.Contains(f.imports, b.pkg) && !excepted(b.except, f) {
				t.Errorf("%s imports %s: %s", f.path, b.pkg, b.why)
			}
		}
	}
}

func excepted(except map[string]string, f *file) bool {
	for pattern := range except {
		if pattern == f.path || fits(pattern, f.pkg) {
			return true
		}
	}
	return false
}
