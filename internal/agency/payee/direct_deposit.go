package payee

import (
	"slices"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/reencryption"
)

// BankDetails are the account of an agent, with the numbers in plain text. They are "not
// effective-dated; an update replaces the current details" (Payee). The tags make it the
// table of these fields (internal/fields); bankNumbers says which numbers an account
// has.
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
