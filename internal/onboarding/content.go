package onboarding

import (
	"context"
	"encoding/json"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Configuration is a version of what the application collects: each flag makes
// something mandatory at validation (Agent Onboarding, "Configuration flags").
type Configuration struct {
	// Version is 0 while none was published; then nothing is collected.
	Version                                                                        int
	CollectTaxID, CollectBirthDate, CollectMaritalInfo                             bool
	CollectHomeAddress, CollectCorrespondenceAddress                               bool
	CollectPrimaryPhone, CollectCellPhone, CollectLicenseInfo                      bool
	CollectEmploymentInfo, CollectTaxInfo, CollectContract, CollectPersonalHistory bool
	// RequiresPayment reports whether an application must be paid before it is processed.
	RequiresPayment bool
	// DefaultPayStatus and DefaultAgentLevel are the defaults for a new agent.
	DefaultPayStatus  *string
	DefaultAgentLevel *int
	Products          []Product
	PublishedAt       *time.Time
}

// Product is a product that a recruit can choose, such as a starter kit.
type Product struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Price is a decimal number, such as 49.90.
	Price string `json:"price"`
	// Currency is an ISO 4217 code.
	Currency string `json:"currency"`
}

// Question is a version of a question about the recruit's past.
type Question struct {
	ID int64
	// UID is its contentItemVersionId, ItemUID its contentItemId.
	UID, ItemUID string
	Sequence     int
	Text         string
	HelpText     *string
	ResponseType string
	Choices      []string
	// RequiresExplanationWhen are the answers that require an explanation in
	// background.notes.
	RequiresExplanationWhen []string
	PublishedAt             time.Time
	// RetiredAt is when it was retired; nil while it is published.
	RetiredAt *time.Time
}

// Contract is a version of the contract that recruits sign.
type Contract struct {
	ID int64
	// UID is its versionId.
	UID                     string
	VersionNumber           int
	Title, Body, BodyFormat string
	BodySHA256              string
	IsCurrent               bool
	PublishedAt             time.Time
	Covenants               []*Covenant
}

// Covenant is a covenant that the recruit affirms by signing a contract.
type Covenant struct {
	UID, ItemUID string
	Sequence     int
	Title        *string
	Text         string
	PublishedAt  time.Time
}

// Published is everything that applications are validated against.
type Published struct {
	Configuration Configuration
	Questions     []*Question
	// Contract is nil while none was published.
	Contract *Contract
}

// content reads what is published. It is safe for concurrent use.
type content struct{ store *store.Store }

// Published reads what is published now.
func (s *content) Published(ctx context.Context) (*Published, error) { return published(ctx, s.store) }

func published(ctx context.Context, q store.Querier) (*Published, error) {
	c, err := configuration(ctx, q)
	if err != nil {
		return nil, err
	}
	questions, err := questions(ctx, q)
	if err != nil {
		return nil, err
	}
	contract, err := contract(ctx, q, nil)
	return &Published{*c, questions, contract}, err
}

// Configuration reads the configuration that is published.
func (s *content) Configuration(ctx context.Context) (*Configuration, error) {
	return configuration(ctx, s.store)
}

// columns returns the columns of a version and pointers to their values; that of the
// products is their JSON.
func (c *Configuration) columns(products *string) (names []string, places []any) {
	names, places = []string{"version", "default_pay_status", "default_agent_level", "products", "published_at"},
		[]any{&c.Version, &c.DefaultPayStatus, &c.DefaultAgentLevel, products, &c.PublishedAt}
	for _, f := range new(ConfigurationInput).flags(c) {
		names, places = append(names, f.column), append(places, f.to)
	}
	return names, places
}

// configuration reads the current configuration.
func configuration(ctx context.Context, q store.Querier) (*Configuration, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var (
		c        Configuration
		products = "[]"
	)
	columns, dest := c.columns(&products)
	if _, err = store.One(ctx, q, dest, "SELECT "+strings.Join(columns, ", ")+
		" FROM onboarding_app_configuration WHERE tenant_id = $1 ORDER BY version DESC LIMIT 1", tenantID); err != nil {
		return nil, err
	}
	return &c, json.Unmarshal([]byte(products), &c.Products)
}

// Questions reads the published questions in their sequence.
func (s *content) Questions(ctx context.Context) ([]*Question, error) { return questions(ctx, s.store) }

const questionColumns = `id, uid, content_item_uid, sequence, text, help_text, response_type, choices,
	requires_explanation_when, published_at, retired_at`

// questions reads the published questions in their sequence.
func questions(ctx context.Context, q store.Querier) ([]*Question, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	return store.Collect(ctx, q, scanQuestion, "SELECT "+questionColumns+
		" FROM onboarding_background_question WHERE tenant_id = $1 AND retired_at IS NULL ORDER BY sequence, id", tenantID)
}

func scanQuestion(r store.Scanner) (*Question, error) {
	var (
		q                     Question
		choices, explanations string
	)
	if err := r.Scan(&q.ID, &q.UID, &q.ItemUID, &q.Sequence, &q.Text, &q.HelpText, &q.ResponseType, &choices, &explanations, &q.PublishedAt, &q.RetiredAt); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(choices), &q.Choices); err != nil {
		return nil, err
	}
	return &q, json.Unmarshal([]byte(explanations), &q.RequiresExplanationWhen)
}

// Contract reads the current version of the contract; nil if none was published.
func (s *content) Contract(ctx context.Context) (*Contract, error) {
	return contract(ctx, s.store, nil)
}

// ContractVersion reads a version of the contract by its versionId, current or not; nil
// if there is none.
func (s *content) ContractVersion(ctx context.Context, uid string) (*Contract, error) {
	return contract(ctx, s.store, &uid)
}

// ContractByRow is ContractVersion by the id of the row.
func (s *content) ContractByRow(ctx context.Context, id int64) (*Contract, error) {
	return contractWhere(ctx, s.store, " AND id = ?", id)
}

// contract reads a version of the contract with its covenants: the current one if uid is
// nil. It returns nil if there is none.
func contract(ctx context.Context, q store.Querier, uid *string) (*Contract, error) {
	if uid == nil {
		return contractWhere(ctx, q, "")
	}
	id, err := uuid.Parse(*uid)
	if err != nil {
		return nil, nil
	}
	return contractWhere(ctx, q, " AND uid = ?", id.String())
}

func contractWhere(ctx context.Context, q store.Querier, condition string, args ...any) (*Contract, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	var statement store.SQL
	statement.Write(`SELECT id, uid, version_number, title, body, body_format, body_sha256, published_at,
			version_number = (SELECT max(version_number) FROM onboarding_contract_version WHERE tenant_id = ?) AS is_current
		FROM onboarding_contract_version WHERE tenant_id = ?`, tenantID, tenantID)
	statement.Write(condition, args...).Write(" ORDER BY version_number DESC LIMIT 1")
	var c Contract
	found, err := store.One(ctx, q, []any{&c.ID, &c.UID, &c.VersionNumber, &c.Title, &c.Body, &c.BodyFormat, &c.BodySHA256, &c.PublishedAt, &c.IsCurrent},
		statement.Text(), statement.Args()...)
	if err != nil || !found {
		return nil, err
	}
	c.Covenants, err = store.Collect(ctx, q, func(r store.Scanner) (*Covenant, error) {
		v := &Covenant{PublishedAt: c.PublishedAt}
		return v, r.Scan(&v.UID, &v.ItemUID, &v.Sequence, &v.Title, &v.Text)
	}, `SELECT uid, content_item_uid, sequence, title, text FROM onboarding_contract_covenant
		WHERE tenant_id = $1 AND contract_version_id = $2 ORDER BY sequence, id`, tenantID, c.ID)
	return &c, err
}
