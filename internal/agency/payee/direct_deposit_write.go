package payee

import (
	"context"
	"fmt"
	"strings"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

type digits struct{ least, most int }

// bankNumbers says how many digits each number has in the countries that have it.
var bankNumbers = map[string]map[record.BankCountry]digits{
	"routingNumber":     {record.UnitedStates: {9, 9}},
	"institutionNumber": {record.Canada: {3, 3}},
	"transitNumber":     {record.Canada: {5, 5}},
	"accountNumber":     {record.UnitedStates: {4, 17}, record.Canada: {5, 12}},
}

// CheckBankDetails checks bank details. The country decides which numbers an account has,
// and each of them is required.
func CheckBankDetails(c *record.Check, in *BankDetails) {
	path := []string{Deposits.Field}
	c.Properties(BankFields, in, path...)
	for _, l := range BankFields {
		c.Needed(l, l.Of(in), path...)
	}
	country := record.BankCountry(in.Country.OrZero())
	if !record.BankCountries.Has(country) { // which numbers there are nobody can say
		return
	}
	for _, l := range Deposits.Sealed {
		field, number := append(path, l.Name), record.TextOf(l, in)
		length, has := bankNumbers[l.Name][country]
		switch {
		case !has && number != nil:
			c.Refuse(problem.NotApplicable, "does not exist in this country", field...)
		case has && number == nil:
			c.Refuse(problem.Required, "is required in this country", field...)
		case has:
			checkDigits(c, *number, length, field...)
		}
	}
	if r := in.RoutingNumber.Value; country == record.UnitedStates && r != nil && isDigits(*r, digits{9, 9}) && !validRouting(*r) {
		c.Refuse(problem.InvalidFormat, "has a wrong check digit", append(path, "routingNumber")...)
	}
}

func checkDigits(c *record.Check, s string, length digits, field ...string) {
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

// validRouting checks the check digit of a routing number of the American Bankers
// Association: the digits, weighted 3, 7, 1, 3, 7, 1 …, add up to a multiple of ten.
func validRouting(s string) bool {
	sum := 0
	for i, r := range s {
		sum += int(r-'0') * []int{3, 7, 1}[i%3]
	}
	return sum%10 == 0
}

// replaceDirectDeposit makes bank details the current ones, or none if they are nil, and
// returns what changes: "an update replaces the current details" (Payee).
func (s *Service) replaceDirectDeposit(ctx context.Context, w *record.Writing, agentID int64, in *BankDetails) ([]record.Difference, error) {
	current, err := s.plainDirectDeposit(ctx, w, agentID)
	if err != nil {
		return nil, err
	}
	var next BankDetails
	if in != nil {
		next = *in
	}
	changes := Deposits.Differences(current, next)
	if len(changes) == 0 {
		return nil, nil
	}
	if _, err := w.Exec(ctx, "DELETE FROM agency_direct_deposit WHERE tenant_id = $1 AND agent_id = $2", w.Tenant.ID, agentID); err != nil || in == nil {
		return changes, err
	}
	return changes, insertDeposits(ctx, s.vault, w, []record.Row[BankDetails]{{AgentID: agentID, Record: &next}})
}

// plainDirectDeposit returns an agent's stored bank details in plain text; empty ones if
// there are none.
func (s *Service) plainDirectDeposit(ctx context.Context, w *record.Writing, agentID int64) (BankDetails, error) {
	var (
		id      int64
		open    BankDetails
		secrets record.Secrets
	)
	found, err := store.One(ctx, w, Deposits.Dest(&open, &secrets, &id),
		"SELECT "+Deposits.Columns("d", "id")+" FROM agency_direct_deposit d WHERE d.tenant_id = $1 AND d.agent_id = $2", w.Tenant.ID, agentID)
	if err != nil || !found {
		return BankDetails{}, err
	}
	return Deposits.Plain(ctx, s.vault, w.Tenant.ID, open, secrets)
}
