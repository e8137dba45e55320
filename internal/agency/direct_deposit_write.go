package agency

import (
	"context"
	"fmt"
	"strings"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/problem"
	"github.com/uplinehq/upline/internal/words/text"
)

// DirectDepositInput are bank details, the numbers in plain text.
type DirectDepositInput struct {
	Country           string // one of BankCountries
	AccountHolderName string
	BankName          *string
	AccountType       string  // one of BankAccountTypes
	RoutingNumber     *string // US
	InstitutionNumber *string // CA
	TransitNumber     *string // CA
	AccountNumber     *string
}

// bankNumber is a number of bank details: its field and where it is, and its
// length in each country that has it.
type bankNumber struct {
	field  string
	number **string
	digits map[BankCountry]digits
}

type digits struct{ least, most int }

// numbers are the numbers of bank details, in the order in which problems are
// reported.
func (in *DirectDepositInput) numbers() []bankNumber {
	return []bankNumber{
		{"routingNumber", &in.RoutingNumber, map[BankCountry]digits{unitedStates: {9, 9}}},
		{"institutionNumber", &in.InstitutionNumber, map[BankCountry]digits{canada: {3, 3}}},
		{"transitNumber", &in.TransitNumber, map[BankCountry]digits{canada: {5, 5}}},
		{"accountNumber", &in.AccountNumber, map[BankCountry]digits{unitedStates: {4, 17}, canada: {5, 12}}},
	}
}

// directDeposit checks bank details. The country decides which numbers there
// are, and all of them are required.
func (c *inputCheck) directDeposit(in *DirectDepositInput, path ...string) {
	country := check.One(c, BankCountries, in.Country, append(path, "country")...)
	check.One(c, BankAccountTypes, in.AccountType, append(path, "accountType")...)
	in.AccountHolderName = c.Required(in.AccountHolderName, maxText, append(path, "accountHolderName")...)
	in.BankName = c.Optional(in.BankName, maxText, append(path, "bankName")...)
	for _, n := range in.numbers() {
		field := append(path, n.field)
		*n.number = narrow(check.Trimmed(*n.number))
		length, has := n.digits[country]
		switch {
		case country == "": // which numbers there are nobody can say
		case !has && *n.number != nil:
			c.Refuse(problem.NotApplicable, "does not exist in this country", field...)
		case has && *n.number == nil:
			c.Refuse(problem.Required, "is required in this country", field...)
		case has:
			c.digits(**n.number, length, field...)
		}
	}
	if r := in.RoutingNumber; country == unitedStates && r != nil && isDigits(*r, digits{9, 9}) && !validRouting(*r) {
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

// narrow returns a number with plain digits, whatever the width in which they were
// typed.
func narrow(s *string) *string {
	if s == nil {
		return nil
	}
	return new(text.Narrow(*s))
}

// plainDirectDeposit returns an agent's stored bank details; none are as good
// as empty ones.
func (s *Service) plainDirectDeposit(ctx context.Context, w *writing, agentID int64) (in DirectDepositInput, err error) {
	rows, err := store.Collect(ctx, w, scanDirectDeposit, directDepositQuery+"$1 AND agent_id = $2", w.Tenant.ID, agentID)
	if err != nil || len(rows) == 0 {
		return in, err
	}
	d := rows[0]
	in = DirectDepositInput{Country: d.Country, AccountHolderName: d.AccountHolderName, BankName: d.BankName, AccountType: d.AccountType}
	for _, n := range []struct {
		sealed *vault.Sealed
		number **string
	}{{&d.RoutingNumber, &in.RoutingNumber}, {&d.InstitutionNumber, &in.InstitutionNumber},
		{&d.TransitNumber, &in.TransitNumber}, {&d.AccountNumber, &in.AccountNumber}} {
		if *n.number, err = s.unsealed(ctx, n.sealed); err != nil {
			return DirectDepositInput{}, err
		}
	}
	return in, nil
}

// differences are the fields in which other bank details differ from these.
func (in DirectDepositInput) differences(next DirectDepositInput) (all []difference) {
	for _, f := range []struct {
		name string
		same bool
	}{
		{"country", in.Country == next.Country}, {"accountHolderName", in.AccountHolderName == next.AccountHolderName},
		{"bankName", same(in.BankName, next.BankName)}, {"accountType", in.AccountType == next.AccountType},
	} {
		if !f.same {
			all = append(all, difference{field: "directDeposit." + f.name})
		}
	}
	before := in.numbers()
	for i, n := range next.numbers() {
		if !same(*before[i].number, *n.number) {
			all = append(all, difference{"directDeposit." + n.field, true, *n.number})
		}
	}
	return all
}

// replaceDirectDeposit makes bank details the current ones, nil none, and
// returns what that changes: "an update replaces the current details" (Payee).
func (s *Service) replaceDirectDeposit(ctx context.Context, w *writing, agentID int64, in *DirectDepositInput) ([]difference, error) {
	var next DirectDepositInput
	if in != nil {
		next = *in
	}
	current, err := s.plainDirectDeposit(ctx, w, agentID)
	if err != nil {
		return nil, err
	}
	changes := current.differences(next)
	if len(changes) == 0 {
		return nil, nil
	}
	if _, err := w.Exec(ctx, "DELETE FROM agency_direct_deposit WHERE tenant_id = $1 AND agent_id = $2", w.Tenant.ID, agentID); err != nil || in == nil {
		return changes, err
	}
	return changes, s.insertDirectDeposit(ctx, w, agentID, next)
}

func (s *Service) insertDirectDeposit(ctx context.Context, w *writing, agentID int64, in DirectDepositInput) error {
	row, err := w.DirectDeposit.Create().SetAgentID(agentID).SetCountry(in.Country).SetAccountHolderName(in.AccountHolderName).
		SetNillableBankName(in.BankName).SetAccountType(in.AccountType).SetLastModified(w.Now).SetLastModifiedBy(w.Initiator).Save(ctx)
	if err != nil {
		return err
	}
	return s.seal(ctx, w, directDepositTable, row.ID, secretColumn{"routing_number", in.RoutingNumber},
		secretColumn{"institution_number", in.InstitutionNumber}, secretColumn{"transit_number", in.TransitNumber},
		secretColumn{"account_number", in.AccountNumber})
}
