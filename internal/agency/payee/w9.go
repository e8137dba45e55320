package payee

import (
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/patch"
)

// W9Details are the properties of a W9, or changes of them, with sensitive values in
// plain text. The tags make it the table of these fields (internal/fields).
type W9Details struct {
	Name               patch.Field[string] `name:"name" column:"name" as:"text" needed:"true"`
	BusinessName       patch.Field[string] `name:"businessName" column:"business_name" as:"text"`
	TaxClassification  patch.Field[string] `name:"taxClassification" column:"tax_classification" as:"taxClassification" needed:"true"`
	ExemptPayee        patch.Field[string] `name:"exemptPayee" column:"exempt_payee" as:"exemptPayee"`
	Address            W9Address           `below:"address"`
	AccountNumber      patch.Field[string] `name:"accountNumber" column:"account_number" as:"text" sealed:"number"`
	TaxpayerIdentifier patch.Field[string] `name:"taxpayerIdentifier" column:"taxpayer_identifier" as:"taxID" sealed:"identifier"`
	Signature          patch.Field[string] `name:"signature" column:"signature" as:"signature" sealed:"nothing"`

	SignatureDate patch.Field[date.Date] `name:"signatureDate" column:"signature_date"`
}

// W9Address is the address on a W9. Its state need not be a configured jurisdiction.
type W9Address struct {
	StreetAddress patch.Field[string] `name:"streetAddress" column:"street_address" as:"text"`
	City          patch.Field[string] `name:"city" column:"city" as:"text"`
	State         patch.Field[string] `name:"state" column:"state" as:"text"`
	ZipCode       patch.Field[string] `name:"zipCode" column:"zip_code" as:"text"`
}

// The tables of fields of W9s.
var (
	W9Fields        = fields.Of[W9Details]()
	W9AddressFields = fields.Of[W9Address]()

	// W9s says where W9s are stored.
	W9s = record.NewSealedTable(w9Table, record.W9Field, W9Fields)
)

const w9Table = "agency_w9"
