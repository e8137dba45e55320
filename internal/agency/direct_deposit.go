package agency

import (
	"context"
	"time"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// DirectDeposit is where an agent is paid. It is "not effective-dated; an
// update replaces the current details" (Payee).
type DirectDeposit struct {
	ID, AgentID                                                    int64
	Country                                                        string // US or CA
	AccountHolderName                                              string
	BankName                                                       *string
	AccountType                                                    string
	LastModified                                                   time.Time
	LastModifiedBy                                                 string
	RoutingNumber, InstitutionNumber, TransitNumber, AccountNumber vault.Sealed
}

const directDepositTable = "agency_direct_deposit"

const directDepositQuery = `SELECT id, agent_id, country, account_holder_name, bank_name, account_type, last_modified, last_modified_by,
	routing_number, institution_number, transit_number, account_number FROM agency_direct_deposit WHERE tenant_id = `

func scanDirectDeposit(r store.Scanner) (*DirectDeposit, error) {
	d := new(DirectDeposit)
	return d, r.Scan(&d.ID, &d.AgentID, &d.Country, &d.AccountHolderName, &d.BankName, &d.AccountType, &d.LastModified, &d.LastModifiedBy,
		d.RoutingNumber.From(directDepositTable, "routing_number", &d.ID), d.InstitutionNumber.From(directDepositTable, "institution_number", &d.ID),
		d.TransitNumber.From(directDepositTable, "transit_number", &d.ID), d.AccountNumber.From(directDepositTable, "account_number", &d.ID))
}

// DirectDeposits reads the bank details of agents; agents without any are left
// out.
func (s *Service) DirectDeposits(ctx context.Context, agentIDs []int64) (map[int64]*DirectDeposit, error) {
	return readMap(ctx, s.store, scanDirectDeposit, func(d *DirectDeposit) int64 { return d.AgentID }, func(q *store.SQL, tenant string) {
		q.Write(directDepositQuery + tenant + " AND " + s.store.In("agent_id", q.Arg(s.store.List(agentIDs))))
	})
}
