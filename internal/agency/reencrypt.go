package agency

import (
	"context"

	"github.com/uplinehq/upline/internal/change"
)

// sealedColumns are all that the area encrypts.
var sealedColumns = []change.SealedColumn{
	{Table: "agency_agent", Column: "government_identifier"},
	{Table: w9Table, Column: "account_number"}, {Table: w9Table, Column: "taxpayer_identifier"}, {Table: w9Table, Column: "signature"},
	{Table: directDepositTable, Column: "routing_number"}, {Table: directDepositTable, Column: "institution_number"},
	{Table: directDepositTable, Column: "transit_number"}, {Table: directDepositTable, Column: "account_number"},
}

// Reencrypt encrypts what the area encrypts again, where that was done with an
// older key than the newest, and returns how many values that were.
func (s *Service) Reencrypt(ctx context.Context) (n int, err error) {
	return change.New(s.store, s.clock, s.vault).Reencrypt(ctx, sealedColumns...)
}
