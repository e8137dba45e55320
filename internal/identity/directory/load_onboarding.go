package directory

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/platform/store"
)

// The defaults for a new agent from an application, if the tenant has them.
const (
	starterPayStatus = "Pending"
	starterLevel     = 10
)

// LoadOnboarding publishes what a tenant begins with, for a tenant that has published
// nothing yet.
func LoadOnboarding(ctx context.Context, tx *store.Tx, tenantID int64, o Onboarding, now time.Time, initiator string) error {
	for _, load := range []func() error{
		func() error { return loadConfiguration(ctx, tx, tenantID, now, initiator) },
		func() error { return loadQuestions(ctx, tx, tenantID, o.Questions, now, initiator) },
		func() error { return loadContract(ctx, tx, tenantID, o, now, initiator) },
	} {
		if err := load(); err != nil {
			return fmt.Errorf("load onboarding: %w", err)
		}
	}
	return nil
}

// loadConfiguration collects everything but an address for correspondence, which for most
// recruits is their home address. It requires no payment, since there are no products
// yet.
func loadConfiguration(ctx context.Context, tx *store.Tx, tenantID int64, now time.Time, initiator string) error {
	var payStatus *string
	var level *int64
	_, err := store.One(ctx, tx, []any{&payStatus, &level}, `SELECT (SELECT name FROM agency_pay_status WHERE tenant_id = $1 AND name = $2),
		(SELECT min(value) FROM agency_agent_level WHERE tenant_id = $1 AND value = $3 AND is_enabled = $4)`, tenantID, starterPayStatus, starterLevel, true)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `INSERT INTO onboarding_app_configuration (tenant_id, version, collect_tax_id, collect_birth_date, collect_marital_info,
			collect_home_address, collect_correspondence_address, collect_primary_phone, collect_cell_phone, collect_license_info,
			collect_employment_info, collect_tax_info, collect_contract, collect_personal_history, requires_payment,
			default_pay_status, default_agent_level, products, published_at, published_by)
		VALUES ($1, 1, $2, $2, $2, $2, $3, $2, $2, $2, $2, $2, $2, $2, $3, $4, $5, '[]', $6, $7)`,
		tenantID, true, false, payStatus, level, now, initiator)
	return err
}

func loadQuestions(ctx context.Context, tx *store.Tx, tenantID int64, questions []Question, now time.Time, initiator string) error {
	rows := make([][]any, len(questions))
	for i, q := range questions {
		rows[i] = []any{tenantID, uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7()), i + 1, q.Text, q.HelpText, "BOOLEAN", "[]", `["true"]`, now, initiator}
	}
	return tx.CopyFrom(ctx, "onboarding_background_question", []string{"tenant_id", "uid", "content_item_uid", "sequence", "text", "help_text",
		"response_type", "choices", "requires_explanation_when", "published_at", "published_by"}, slices.Values(rows))
}

func loadContract(ctx context.Context, tx *store.Tx, tenantID int64, o Onboarding, now time.Time, initiator string) error {
	digest := sha256.Sum256([]byte(o.ContractBody))
	var id int64
	_, err := store.One(ctx, tx, []any{&id}, `INSERT INTO onboarding_contract_version (tenant_id, uid, version_number, title, body, body_format, body_sha256,
			published_at, published_by)
		VALUES ($1, $2, 1, $3, $4, 'markdown', $5, $6, $7) RETURNING id`,
		tenantID, uuid.Must(uuid.NewV7()).String(), o.ContractTitle, o.ContractBody, hex.EncodeToString(digest[:]), now, initiator)
	if err != nil {
		return err
	}
	rows := make([][]any, len(o.Covenants))
	for i, c := range o.Covenants {
		rows[i] = []any{tenantID, id, uuid.Must(uuid.NewV7()), uuid.Must(uuid.NewV7()), i + 1, c.Title, c.Text}
	}
	return tx.CopyFrom(ctx, "onboarding_contract_covenant", []string{"tenant_id", "contract_version_id", "uid", "content_item_uid", "sequence", "title", "text"},
		slices.Values(rows))
}

// Complete gives tenants of an earlier version what a new tenant begins with, if they
// have nothing of the kind. It is part of migrations: several processes may call it at
// once, and again.
func Complete(ctx context.Context, s *store.Store, c clock.Clock) error {
	ids, err := store.Collect(ctx, s, store.ScanOne[int64], `SELECT id FROM tenant EXCEPT SELECT tenant_id FROM onboarding_app_configuration
		EXCEPT SELECT tenant_id FROM onboarding_background_question EXCEPT SELECT tenant_id FROM onboarding_contract_version ORDER BY 1`)
	if err != nil {
		return fmt.Errorf("complete tenants: %w", err)
	}
	for _, id := range ids {
		if err := s.InTx(ctx, func(ctx context.Context, tx *store.Tx) error { return complete(ctx, tx, id, c.Now()) }); err != nil {
			return fmt.Errorf("complete tenant %d: %w", id, err)
		}
	}
	return nil
}

func complete(ctx context.Context, tx *store.Tx, tenantID int64, now time.Time) error {
	var id int64
	// Publications take the same lock. Only the next statement sees what was published
	// before the lock was taken.
	if _, err := store.One(ctx, tx, []any{&id}, "SELECT id FROM tenant WHERE id = $1"+tx.ForUpdate(), tenantID); err != nil {
		return err
	}
	// None of it is ever deleted.
	published, err := store.One(ctx, tx, []any{&id}, `SELECT tenant_id FROM onboarding_app_configuration WHERE tenant_id = $1
		UNION ALL SELECT tenant_id FROM onboarding_background_question WHERE tenant_id = $1
		UNION ALL SELECT tenant_id FROM onboarding_contract_version WHERE tenant_id = $1 LIMIT 1`, tenantID)
	if err != nil || published {
		return err
	}
	return LoadOnboarding(ctx, tx, tenantID, StarterOnboarding(), now, initiator)
}
