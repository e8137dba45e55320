package read

import (
	"cmp"
	"github.com/uplinehq/upline/internal/authorization"

	"github.com/vektah/gqlparser/v2/ast"

	"github.com/uplinehq/upline/graph/plan"
	"github.com/uplinehq/upline/graph/sensitive"
	"github.com/uplinehq/upline/internal/agency/payee"
	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/platform/store/rowset"
	"github.com/uplinehq/upline/internal/platform/vault"
)

// w9Of joins the W9 of a period, w9At the W9 of the day, depositAt the bank details of an
// agent.
func w9Of(period *plan.Place) *plan.Place {
	id := period.Ref("p.w9_id")
	return period.Join("w9 of a period", "agency_w9", func(s *plan.Builder, alias string) { s.Write(alias + ".id = " + id) })
}

func w9At(at *plan.Place) *plan.Place {
	return w9Of(at.Join("w9", "agency_w9_period", ownedBy(at, covering)))
}

func depositAt(at *plan.Place) *plan.Place {
	return at.Join("deposit", "agency_direct_deposit", ownedBy(at, nil))
}

// payee is a view of an agent: how it is paid.
func (t *types) payee(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	payee := &plan.Type{Names: []string{"Payee"}, Fields: map[string]plan.Field{
		"agent":     t.here,
		"status":    payStatus,
		"isPayable": payable,
		"missing":   missing,
		"w9": func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
			return w9At(at).Optional(c, t.w9(at), f, "v.id", rowset.Int)
		},
		"directDeposit": func(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
			return depositAt(at).Optional(c, t.directDeposit(at), f, "d.id", rowset.Int)
		},
	}}
	return payee.Object(c, at, f.SelectionSet)
}

// means reads what there is for paying an agent.
func means(at *plan.Place) func(r *plan.Run, row int) authorization.Means {
	status := payStatusAt(at).Column("p.status", rowset.Text)
	canBePaid := payStatuses.at(payStatusAt(at), "p.status").Column("t.can_be_paid", rowset.Bool)
	w9, deposit := w9At(at).Column("v.id", rowset.Int), depositAt(at).Column("d.id", rowset.Int)
	return func(r *plan.Run, row int) authorization.Means {
		return authorization.Means{HasStatus: !status.IsNull(r, row), CanBePaid: canBePaid.Bool(r, row), HasW9: !w9.IsNull(r, row), HasDirectDeposit: !deposit.IsNull(r, row)}
	}
}

func payable(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	of := means(at)
	return func(b []byte, r *plan.Run, row int) []byte {
		return plan.AppendBool(b, len(of(r, row).Missing()) == 0)
	}
}

func missing(_ *plan.Compiler, at *plan.Place, _ *ast.Field) plan.Write {
	of := means(at)
	return func(b []byte, r *plan.Run, row int) []byte {
		b = append(b, '[')
		for i, code := range of(r, row).Missing() {
			if i > 0 {
				b = append(b, ',')
			}
			b = plan.AppendEnum(b, r, authorization.MeansCodes, code)
		}
		return append(b, ']')
	}
}

func (t *types) w9(agent *plan.Place) *plan.Type {
	fields := t.sealedLeaves("v", "agency_w9", payee.W9Fields, sensitive.W9, agent)
	fields["address"] = w9Address
	return &plan.Type{Names: []string{"W9"}, Fields: fields}
}

// w9Address is null when no part of it is known.
func w9Address(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	address := &plan.Type{Names: []string{"W9Address"}, Fields: leaves("v", payee.W9AddressFields)}
	object := address.Object(c, at, f.SelectionSet)
	if object == nil {
		return nil
	}
	var columns []plan.Column
	for _, l := range payee.W9AddressFields {
		columns = append(columns, at.Column("v."+l.Column, rowset.Text))
	}
	return func(b []byte, r *plan.Run, row int) []byte {
		for _, c := range columns {
			if !c.IsNull(r, row) {
				return object(b, r, row)
			}
		}
		return plan.Null(b)
	}
}

func (t *types) directDeposit(agent *plan.Place) *plan.Type {
	fields := t.sealedLeaves("d", "agency_direct_deposit", payee.BankFields, sensitive.Bank, agent)
	fields["lastModified"], fields["lastModifiedBy"] = plan.Instant("d.last_modified"), plan.Text("d.last_modified_by")
	return &plan.Type{Names: []string{"DirectDeposit"}, Fields: fields}
}

// sealedLeaves are the fields for the lines of a table; its sensitive lines, among
// secrets, are answered as their resolvers answer them.
func (t *types) sealedLeaves(alias, table string, lines []fields.Line, secrets map[string]sensitive.Field, agent *plan.Place) map[string]plan.Field {
	fields := leaves(alias, lines)
	for _, l := range lines {
		if l.Sealed != "" {
			fields[l.Name] = t.sensitive(secrets[l.Name], table, l.Column, agent)
		}
	}
	return fields
}

func (t *types) governmentIdentifier(c *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
	return t.sensitive(sensitive.GovernmentIdentifier, "agency_agent", "government_identifier", at)(c, at, f)
}

// sensitive is a sensitive field of an agent, answered as its resolver answers it.
func (t *types) sensitive(field sensitive.Field, table, column string, agent *plan.Place) plan.Field {
	return func(_ *plan.Compiler, at *plan.Place, f *ast.Field) plan.Write {
		code := agent.Column("a.code", rowset.Text)
		id, value := at.Column("a.id", rowset.Int), at.Column("a."+column, rowset.Bytes)
		return func(b []byte, r *plan.Run, row int) []byte {
			if value.IsNull(r, row) {
				return plan.Null(b)
			}
			key := sealedKey{table, column, id.Int(r, row)}
			sealed := plan.Once(r, key, func() *vault.Sealed {
				sealed := new(vault.Sealed)
				*sealed.From(table, column, &key.row) = value.Text(r, row)
				return sealed
			})
			reveal, _ := f.ArgumentMap(r.Variables)["reveal"].(bool)
			shown, err := field.Unsealed(r.Ctx, t.Vault, string(code.Text(r, row)), sealed, reveal)
			if err != nil || shown == nil {
				return r.Fail(b, cmp.Or(err, plan.ErrNull))
			}
			return plan.String(b, *shown)
		}
	}
}

// sealedKey identifies a sensitive value, which is decrypted once however often it is
// asked for.
type sealedKey struct {
	table, column string
	row           int64
}
