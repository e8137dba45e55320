package agency

import (
	"context"
	"strings"

	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/words/check"
	"github.com/uplinehq/upline/internal/words/date"
	"github.com/uplinehq/upline/internal/words/patch"
	"github.com/uplinehq/upline/internal/words/problem"
)

// W9Input is all that a W9 says, its sensitive values in plain text.
type W9Input struct {
	Name, BusinessName                           *string
	TaxClassification, ExemptPayee               *string
	StreetAddress, City, State, ZipCode          *string
	AccountNumber, TaxpayerIdentifier, Signature *string
	SignatureDate                                *date.Date
}

// W9Update are the changes of a W9; omitted fields stay.
type W9Update struct {
	Name, BusinessName                           patch.Field[string]
	TaxClassification, ExemptPayee               patch.Field[string]
	Address                                      patch.Field[W9AddressUpdate]
	AccountNumber, TaxpayerIdentifier, Signature patch.Field[string]
	SignatureDate                                patch.Field[date.Date]
}

// W9AddressUpdate are the changes of the address on a W9.
type W9AddressUpdate struct{ StreetAddress, City, State, ZipCode patch.Field[string] }

// w9Text is a text of a W9: its field path below the W9 and where it is.
type w9Text struct {
	path      []string
	text      **string
	limit     int
	sensitive bool
}

// Lengths of the short texts of a W9, in characters.
const (
	maxExemptPayee = 10
	maxSignature   = 100
)

// texts are the texts of a W9, in the order in which problems are reported.
func (in *W9Input) texts() []w9Text {
	return []w9Text{
		{path: []string{"name"}, text: &in.Name, limit: maxText},
		{path: []string{"businessName"}, text: &in.BusinessName, limit: maxText},
		{path: []string{"taxClassification"}, text: &in.TaxClassification, limit: maxText},
		{path: []string{"exemptPayee"}, text: &in.ExemptPayee, limit: maxExemptPayee},
		{path: []string{"address", "streetAddress"}, text: &in.StreetAddress, limit: maxText},
		{path: []string{"address", "city"}, text: &in.City, limit: maxText},
		{path: []string{"address", "state"}, text: &in.State, limit: maxText},
		{path: []string{"address", "zipCode"}, text: &in.ZipCode, limit: maxText},
		{path: []string{"accountNumber"}, text: &in.AccountNumber, limit: maxText, sensitive: true},
		{path: []string{"taxpayerIdentifier"}, text: &in.TaxpayerIdentifier, limit: check.MaxIdentifier, sensitive: true},
		{path: []string{"signature"}, text: &in.Signature, limit: maxSignature, sensitive: true},
	}
}

// w9 checks a whole W9 and takes the blanks around its texts away.
func (c *inputCheck) w9(in *W9Input, path ...string) {
	c.w9Texts(in, path...)
	c.w9Whole(in, path...)
	c.w9Keeps(patch.Field[string]{}, in.Name, append(path, "name")...)
	c.w9Keeps(patch.Field[string]{}, in.TaxClassification, append(path, "taxClassification")...)
}

// w9Update checks what a W9 becomes by an update.
func (c *inputCheck) w9Update(u W9Update, in *W9Input, path ...string) {
	c.w9Texts(in, path...)
	c.w9Whole(&W9Input{AccountNumber: u.AccountNumber.Value, TaxpayerIdentifier: u.TaxpayerIdentifier.Value, Signature: u.Signature.Value}, path...)
	c.w9Keeps(u.Name, in.Name, append(path, "name")...)
	c.w9Keeps(u.TaxClassification, in.TaxClassification, append(path, "taxClassification")...)
}

// w9Texts checks the texts. Those of the address may be anything: no
// jurisdiction has to be configured for the state. A tax classification is one of
// the list whoever says it: a person, a file or an application.
func (c *inputCheck) w9Texts(in *W9Input, path ...string) {
	for _, t := range in.texts() {
		*t.text = c.Optional(*t.text, t.limit, append(path, t.path...)...)
	}
	if in.TaxClassification != nil {
		check.One(c, TaxClassifications, *in.TaxClassification, append(path, "taxClassification")...)
	}
	in.TaxpayerIdentifier = c.Identifier(in.TaxpayerIdentifier, append(path, "taxpayerIdentifier")...)
}

// w9Whole refuses masks in the place of sensitive values.
func (c *inputCheck) w9Whole(sent *W9Input, path ...string) {
	for _, t := range sent.texts() {
		if t.sensitive {
			c.Whole(*t.text, append(path, t.path...)...)
		}
	}
}

// w9Keeps checks a text that every W9 has.
func (c *inputCheck) w9Keeps(sent patch.Field[string], text *string, field ...string) {
	c.NotNull(sent, field...)
	if !sent.IsNull() && text == nil {
		c.Refuse(problem.Required, "is required", field...)
	}
}

// mergedInto returns a W9 after the update: omitted fields stay as in it, null
// clears.
func (u W9Update) mergedInto(in W9Input) W9Input {
	a := u.Address
	parts := W9AddressUpdate{}
	if a.Value != nil {
		parts = *a.Value
	} else if a.IsNull() {
		in.StreetAddress, in.City, in.State, in.ZipCode = nil, nil, nil, nil
	}
	return W9Input{
		Name: u.Name.Or(in.Name), BusinessName: u.BusinessName.Or(in.BusinessName),
		TaxClassification: u.TaxClassification.Or(in.TaxClassification), ExemptPayee: u.ExemptPayee.Or(in.ExemptPayee),
		StreetAddress: parts.StreetAddress.Or(in.StreetAddress), City: parts.City.Or(in.City),
		State: parts.State.Or(in.State), ZipCode: parts.ZipCode.Or(in.ZipCode),
		AccountNumber: u.AccountNumber.Or(in.AccountNumber), TaxpayerIdentifier: u.TaxpayerIdentifier.Or(in.TaxpayerIdentifier),
		Signature: u.Signature.Or(in.Signature), SignatureDate: u.SignatureDate.Or(in.SignatureDate),
	}
}

// open is what a stored W9 says, without its sensitive values.
func (v *W9) open() W9Input {
	return W9Input{
		Name: &v.Name, BusinessName: v.BusinessName, TaxClassification: &v.TaxClassification, ExemptPayee: v.ExemptPayee,
		StreetAddress: v.StreetAddress, City: v.City, State: v.State, ZipCode: v.ZipCode, SignatureDate: v.SignatureDate,
	}
}

// seemsToSay reports whether a stored W9 says the same, as far as can be seen
// without decrypting it.
func (v *W9) seemsToSay(in W9Input) bool {
	if v.AccountNumber.Present() != (in.AccountNumber != nil) || v.Signature.Present() != (in.Signature != nil) {
		return false
	}
	in.AccountNumber, in.TaxpayerIdentifier, in.Signature = nil, nil, nil
	return len(v.open().differences(in)) == 0
}

// plainW9 returns all that a stored W9 says.
func (s *Service) plainW9(ctx context.Context, v *W9) (in W9Input, err error) {
	in = v.open()
	for _, secret := range []struct {
		sealed *vault.Sealed
		text   **string
	}{{&v.AccountNumber, &in.AccountNumber}, {&v.TaxpayerIdentifier, &in.TaxpayerIdentifier}, {&v.Signature, &in.Signature}} {
		if *secret.text, err = s.unsealed(ctx, secret.sealed); err != nil {
			return W9Input{}, err
		}
	}
	return in, nil
}

// differences are the fields in which another W9 differs from this one.
func (in W9Input) differences(next W9Input) (all []difference) {
	before := in.texts()
	for i, t := range next.texts() {
		if !same(*before[i].text, *t.text) {
			all = append(all, difference{"w9." + strings.Join(t.path, "."), t.sensitive, *t.text})
		}
	}
	if !same(in.SignatureDate, next.SignatureDate) {
		all = append(all, difference{field: "w9.signatureDate"})
	}
	return all
}
