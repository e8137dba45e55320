package insights

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
)

// The cursors of a report by definition say how many rows come before. A cursor belongs
// to the version of the definition, the tenant, the day and the parameters; others are
// refused, since they count other rows.

func (r *Run) signature() string {
	values, err := json.Marshal(r.values)
	if err != nil {
		panic(err) // values can always be encoded
	}
	hash := sha256.Sum256(fmt.Appendf(nil, "%s/%d/%s", r.Definition.Version, r.Tenant.ID, values))
	return hex.EncodeToString(hash[:8])
}

func (r *Run) cursor(row int) *string {
	text := base64.RawURLEncoding.EncodeToString([]byte(r.signature() + "/" + strconv.Itoa(row)))
	return &text
}

// place returns how many rows come before the page of a report by definition.
func (r *Run) place(in Request) (int, *problem.Error) {
	skipped, misplaced := in.Skipped()
	if in.After == nil || misplaced != nil {
		return skipped, misplaced
	}
	raw, err := base64.RawURLEncoding.DecodeString(*in.After)
	signature, row, _ := strings.Cut(string(raw), "/")
	n, err2 := strconv.Atoi(row)
	if err != nil || err2 != nil || signature != r.signature() || n < 1 || n > r.Definition.Limit {
		return 0, problem.Invalid(problem.InvalidCursor, "The cursor was not made by this report with these parameters", "after")
	}
	return n, nil
}
