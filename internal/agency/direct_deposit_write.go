package agency

import (
	"context"
	"fmt"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/problem"
)

type digits struct{ least, most int }

// bankNumbers are how many digits each number has, in the countries where there is one.
var bankNumbers = map[string]map[BankCountry]digits{
	"routingNumber":     {unitedStates: {9, 9}},
	"institutionNumber": {canada: {3, 3}},
	"transitNumber":     {canada: {5, 5}},
	"accountNumber":     {unitedStates: {4, 17}, canada: {5, 12}},
}

// bankDetails checks bank details. The country decides which numbers there are, and all
// of them are required.
func (c *inputCheck) bankDetails(in *BankDetails) {
	path := []string{deposits.field}
	c.properties(BankFields, in, path...)
	for _, l := range BankFields {
		c.needed(l, l.Of(in), path...)
	}
	country := BankCountry(in.Country.OrZero())
	if !BankCountries.Has(country) { // which numbers there are nobody can say
		return
	}
	for _, l := range deposits.sealed {
		field, number := append(path, l.Name), textOf(l, in)
		length, has := bankNumbers[l.Name][country]
		switch {
		case !has && number != nil:
			c.Refuse(problem.NotApplicable, "does not exist in this country", field...)
		case has && number == nil:
			c.Refuse(problem.Required, "is required in this country", field...)
		case has:
			c.digits(*number, length, field...)
		}
	}
	if r := in.RoutingNumber.Value; country == unitedStates && r != nil && isDigits(*r, digits{9, 9}) && !validRouting(*r) {
		c.Refuse(problem.InvalidFormat, "has a wrong check digit", append(path, "routingNumber")...)
	}
}

func (c *inputCheck) digits(s string, length digits, field ...string) {
	switch {
	case isDigits(s, length):
	case length.least == length.most:
		c.Refuse(problem.InvalidFormat, fmt.Sprintf("must be %d digits and nothing else", length.least), field...)
	default:
		c.Refuse(problem.InvalidFormat, fmt.Sprintf("must be %d to %d digits and nothing else", length.least, length.most), field...)
	}
}

func isDigits(s string, length digits) bool {
	return len(s) >= length.least && len(s) <= length.most && strings.Trim(s, "0123456789") == ""
}

// validRouting checks the check digit of a routing number of the American
// Bankers Association: the digits weighted 3, 7, 1, 3, 7, 1 … add up to a
// multiple of ten.
func validRouting(s string) bool {
	sum := 0
	for i, r := range s {
		sum += int(r-'0') * []int{3, 7, 1}[i%3]
	}
	return sum%10 == 0
}

// replaceDirectDeposit makes bank details the current ones, nil none, and
// returns what that changes: "an update replaces the current details" (Payee).
func (s *Service) replaceDirectDeposit(ctx context.Context, w *writing, agentID int64, in *BankDetails) ([]difference, error) {
	current, err := s.plainDirectDeposit(ctx, w, agentID)
	if err != nil {
		return nil, err
	}
	var next BankDetails
	if in != nil {
		next = *in
	}
	changes := deposits.differences(current, next)
	if len(changes) == 0 {
		return nil, nil
	}
	if _, err := w.Exec(ctx, "DELETE FROM agency_direct_deposit WHERE tenant_id = $1 AND agent_id = $2", w.Tenant.ID, agentID); err != nil || in == nil {
		return changes, err
	}
	return changes, insertDirectDeposit(ctx, s.vault, w, agentID, next)
}

// plainDirectDeposit returns an agent's stored bank details; none are as good
// as empty ones.
func (s *Service) plainDirectDeposit(ctx context.Context, w *writing, agentID int64) (BankDetails, error) {
	rows, err := store.Collect(ctx, w, scanDirectDeposit, depositQuery+"$1 AND d.agent_id = $2", w.Tenant.ID, agentID)
	if err != nil || len(rows) == 0 {
		return BankDetails{}, err
	}
	return deposits.plain(ctx, s.vault, w.Tenant.ID, rows[0].BankDetails, rows[0].Secrets)
}

func insertDirectDeposit(ctx context.Context, v *vault.Vault, w *writing, agentID int64, in BankDetails) error {
	_, err := deposits.insert(ctx, v, w, agentID, in, []string{"last_modified", "last_modified_by"}, w.Now, w.Initiator)
	return err
}
