package vault_test

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/vault"
)

// The canary has letters and digits, so that its hexadecimal and quoted forms
// are searched for as well.
const canary = "canary900126789"

type holder struct {
	Tax     vault.Secret
	Pointer *vault.Secret
	Any     any
	List    []vault.Secret
	ByKey   map[string]vault.Secret
}

func TestSecretIsNeverPrinted(t *testing.T) {
	s := vault.Secret(canary)
	values := map[string]any{
		"value":   s,
		"pointer": &s,
		"struct":  holder{Tax: s, Pointer: &s, Any: s, List: []vault.Secret{s}, ByKey: map[string]vault.Secret{"k": s}},
		"slice":   []any{s},
		"error":   fmt.Errorf("refused %v: %w", s, errors.New(s.String())),
	}
	for name, v := range values {
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "% x", "%d", "%t", "%10.3s", "%T %v"} {
			args := []any{v, v}[:strings.Count(verb, "%")]
			denyCanary(t, name+" "+verb, fmt.Sprintf(verb, args...))
		}
		denyCanary(t, name+" Sprint", fmt.Sprint(v))
		encoded, err := json.Marshal(v)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		denyCanary(t, name+" json", string(encoded))
		for _, newHandler := range []func(*bytes.Buffer) slog.Handler{
			func(b *bytes.Buffer) slog.Handler { return slog.NewJSONHandler(b, nil) },
			func(b *bytes.Buffer) slog.Handler { return slog.NewTextHandler(b, nil) },
		} {
			var out bytes.Buffer
			slog.New(newHandler(&out)).With("with", v).Info("message", "key", v, slog.Group("group", "inner", v))
			denyCanary(t, name+" slog", out.String())
		}
	}
	encoded, err := xml.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	denyCanary(t, "xml", string(encoded))
}

func denyCanary(t *testing.T, where, out string) {
	t.Helper()
	low := strings.ToLower(strings.ReplaceAll(out, " ", ""))
	if strings.Contains(low, canary) || strings.Contains(low, fmt.Sprintf("%x", canary)) {
		t.Errorf("%s prints the secret: %s", where, out)
	}
	if out == "" {
		t.Errorf("%s prints nothing: the check proves nothing", where)
	}
}

func TestSecretShowsTheMask(t *testing.T) {
	s := vault.Secret(canary)
	encoded, _ := json.Marshal(map[string]any{"tax": s})
	for name, got := range map[string]string{
		"String":   s.String(),
		"GoString": s.GoString(),
		"%v":       fmt.Sprintf("%v", s),
		"%#v":      fmt.Sprintf("%#v", s),
		"LogValue": s.LogValue().String(),
	} {
		if got != "[redacted]" {
			t.Errorf("%s = %q", name, got)
		}
	}
	if string(encoded) != `{"tax":"[redacted]"}` {
		t.Errorf("json = %s", encoded)
	}
}

// A secret is read from JSON like any text, revealed on demand only, and
// refused by a database driver.
func TestSecretInAndOut(t *testing.T) {
	var in struct{ Tax vault.Secret }
	if err := json.Unmarshal([]byte(`{"tax":"`+canary+`"}`), &in); err != nil || in.Tax.Reveal() != canary {
		t.Errorf("read from JSON: %v", err)
	}
	if v, err := in.Tax.Value(); err == nil || v != nil {
		t.Error("a driver may store the secret as it is")
	}
}
