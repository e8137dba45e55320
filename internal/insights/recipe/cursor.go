package recipe

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/words/problem"
)

// cursor reads and writes the cursors of one report, which say how many rows come before.
// A cursor belongs to the version of the recipe, the tenant, the day and the parameters;
// others are refused, since they count other rows.
type cursor struct{ signature string }

func cursorOf(recipe *Recipe, q *question) cursor {
	values, err := json.Marshal(q.answered())
	if err != nil {
		panic(err) // texts, integers and booleans can always be encoded
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%d/%s", recipe.UID, recipe.Version, q.tenantID, values))
	return cursor{hex.EncodeToString(hash[:8])}
}

func (c cursor) write(row int) *string {
	text := base64.RawURLEncoding.EncodeToString([]byte(c.signature + "/" + strconv.Itoa(row)))
	return &text
}

// read returns the number of rows up to the cursor.
func (c cursor) read(after string) (int, error) {
	raw, err := base64.RawURLEncoding.DecodeString(after)
	signature, row, _ := strings.Cut(string(raw), "/")
	n, err2 := strconv.Atoi(row)
	if err != nil || err2 != nil || signature != c.signature || n < 1 || n > MaxRows {
		return 0, problem.Invalid(problem.InvalidCursor, "The cursor was not made by this report with these parameters", "after")
	}
	return n, nil
}

func (d *Definition) parameter(name string) *Parameter {
	return &d.Parameters[slices.IndexFunc(d.Parameters, func(p Parameter) bool { return p.Name == name })]
}
