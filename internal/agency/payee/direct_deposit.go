package payee

import (
	"context"
	"slices"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/platform/reencryption"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/words/fields"
	"github.com/uplinehq/upline/internal/words/patch"
)

// BankDetails are the account of an agent, with the numbers in plain text. The tags make
// it the table of these fields (internal/words/fields); bankNumbers says which numbers an
// account has.
type BankDetails struct {
	Country           patch.Field[string] `name:"country" column:"country" as:"bankCountry" needed:"true"`
	AccountHolderName patch.Field[string] `name:"accountHolderName" column:"account_holder_name" as:"text" needed:"true"`
	BankName          patch.Field[string] `name:"bankName" column:"bank_name" as:"text"`
	AccountType       patch.Field[string] `name:"accountType" column:"account_type" as:"accountType" needed:"true"`
	RoutingNumber     patch.Field[string] `name:"routingNumber" column:"routing_number" as:"bankNumber" sealed:"number"`
	InstitutionNumber patch.Field[string] `name:"institutionNumber" column:"institution_number" as:"bankNumber" sealed:"nothing"`
	TransitNumber     patch.Field[string] `name:"transitNumber" column:"transit_number" as:"bankNumber" sealed:"nothing"`
	AccountNumber     patch.Field[string] `name:"accountNumber" column:"account_number" as:"bankNumber" sealed:"number"`
}

// The table of fields of bank details.
var (
	BankFields = fields.Of[BankDetails]()

	// Deposits says where bank details are stored.
	Deposits = record.NewSealedTable("agency_direct_deposit", "directDeposit", BankFields)
)

// SealedColumns returns the columns of payees that are encrypted.
func SealedColumns() []reencryption.Column {
	return slices.Concat(W9s.Encrypted(), Deposits.Encrypted())
}

// DirectDeposit is an agent's bank details as they are stored, with the numbers sealed.
// They are "not effective-dated; an update replaces the current details" (Payee).
type DirectDeposit struct {
	ID, AgentID int64
	BankDetails
	LastModified   time.Time
	LastModifiedBy string
	Secrets        record.Secrets
}

var depositQuery = "SELECT " + Deposits.Columns("d", "id", "agent_id", "last_modified", "last_modified_by") + " FROM agency_direct_deposit d WHERE d.tenant_id = "

func scanDirectDeposit(r store.Scanner) (*DirectDeposit, error) {
	d := new(DirectDeposit)
	return d, r.Scan(Deposits.Dest(&d.BankDetails, &d.Secrets, &d.ID, &d.AgentID, &d.LastModified, &d.LastModifiedBy)...)
}

// DirectDeposits reads the bank details of agents. It leaves out agents without any.
func (s *Service) DirectDeposits(ctx context.Context, agentIDs []int64) (map[int64]*DirectDeposit, error) {
	return record.ReadMap(ctx, s.store, scanDirectDeposit, func(d *DirectDeposit) int64 { return d.AgentID }, func(q *store.SQL, tenant string) {
		q.Write(depositQuery + tenant + " AND " + s.store.In("d.agent_id", q.Arg(s.store.List(agentIDs))))
	})
}
