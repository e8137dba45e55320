package vault

import (
	"database/sql/driver"
	"errors"
	"fmt"
	"io"
	"log/slog"
)

// Secret is text that must not be printed. Every way of turning it into output
// gives the mask: fmt (but for %p, which go vet refuses), encoders such as
// encoding/json, and slog. Reveal is the one way to the value, and is easy to
// search for.
//
// Two places are out of reach of any method: the unexported fields of a struct
// that fmt prints whole, and the keys of a map that encoding/json writes. A
// Secret belongs in neither.
type Secret string

const redacted = "[redacted]"

// Reveal returns the value.
func (s Secret) Reveal() string { return string(s) }

// String returns the mask.
func (Secret) String() string { return redacted }

// GoString returns the mask.
func (Secret) GoString() string { return redacted }

// Format writes the mask for every verb. Without it a verb that does not suit
// text, such as %d, would print the value in its complaint.
func (Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, redacted) }

// MarshalJSON writes the mask.
func (Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + redacted + `"`), nil }

// MarshalText writes the mask.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue returns the mask.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// Value refuses: a Secret is stored through Vault.Encrypt, never as it is.
func (Secret) Value() (driver.Value, error) {
	return nil, errors.New("vault: a secret is encrypted before it is stored")
}
