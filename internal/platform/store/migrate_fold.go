package store

import (
	"context"
	"database/sql"
	"strconv"
	"strings"

	"github.com/pressly/goose/v3"
	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// GoMigrations are the migrations of both databases that SQL cannot express; the others
// are the files of ent/migrations. Like those, they are never changed after their
// release, so they have copies of the code they need.
func GoMigrations() []*goose.Migration {
	nothing := func(context.Context, *sql.Tx) error { return nil } // the keys before it served nearly the same searches
	return []*goose.Migration{goose.NewGoMigration(36, &goose.GoFunc{RunTx: foldIdentityKeys}, &goose.GoFunc{RunTx: nothing})}
}

// foldIdentityKeys computes anew the search keys of roles and e-mail addresses with
// letters outside ASCII, which neither database folds completely. If another row already
// has the key, it appends the id, after a character that the text cannot have.
func foldIdentityKeys(ctx context.Context, tx *sql.Tx) error {
	for _, of := range []struct{ table, text, key, apart string }{
		{"identity_role", "name", "name_key", "/"}, {"identity_user", "email", "email_key", " "},
	} {
		rows, err := textsOf(ctx, tx, "SELECT id, tenant_id, "+of.text+" FROM "+of.table+" WHERE "+of.text+" IS NOT NULL ORDER BY id")
		if err != nil {
			return err
		}
		for _, r := range rows {
			if isASCII(r.text) {
				continue
			}
			key := folded(r.text)
			var taken bool
			err := tx.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM "+of.table+" WHERE tenant_id = $1 AND "+of.key+" = $2 AND id <> $3)", r.tenantID, key, r.id).Scan(&taken)
			if err != nil {
				return err
			}
			if taken {
				key += of.apart + strconv.FormatInt(r.id, 10)
			}
			if _, err := tx.ExecContext(ctx, "UPDATE "+of.table+" SET "+of.key+" = $1 WHERE id = $2", key, r.id); err != nil {
				return err
			}
		}
	}
	return nil
}

type textRow struct {
	id, tenantID int64
	text         string
}

func textsOf(ctx context.Context, tx *sql.Tx, query string) (all []textRow, err error) {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var r textRow
		if err := rows.Scan(&r.id, &r.tenantID, &r.text); err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, rows.Err()
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > '\x7f' }) < 0
}

func folded(s string) string {
	return norm.NFKC.String(cases.Fold().String(norm.NFKC.String(strings.TrimSpace(s))))
}
