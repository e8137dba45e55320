package onboarding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/events"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// ContractInput is a version of the contract to publish.
type ContractInput struct {
	Title, Body, BodyFormat string
	Covenants               []CovenantInput
}

// CovenantInput is a covenant of a contract to publish.
type CovenantInput struct {
	// ItemUID is the covenant of an earlier version that this one continues; nil for a
	// new one.
	ItemUID  *string
	Sequence int
	Title    *string
	Text     string
}

// PublishContract publishes a version of the contract, which becomes the current one. All
// covenants get new version ids, since recruits affirm them as part of the contract.
// published is false if the current version is the same.
func (s *publishing) PublishContract(ctx context.Context, in ContractInput) (next *Contract, published bool, err error) {
	if err := in.check(); err != nil {
		return nil, false, err
	}
	err = s.publish(ctx, func(ctx context.Context, w *change.Writing) error {
		former, err := contract(ctx, w, nil)
		if err != nil {
			return err
		}
		var publishedAt *time.Time
		if former != nil {
			publishedAt = &former.PublishedAt
		}
		if err := named(ctx, w, publishedAt); err != nil {
			return err
		}
		if err := in.knownCovenants(ctx, w); err != nil {
			return err
		}
		ordered := in.inOrder()
		fields := ordered.differs(former)
		if published = former == nil || len(fields) > 0; !published {
			next = former
			return nil
		}
		next = ordered.contract(w, former)
		w.Changed(contractEntity, next.UID, fields...)
		raisePublication(ctx, w, events.ContractPublished, next.UID)
		return insertContract(ctx, w, next)
	})
	if err != nil {
		return nil, false, err
	}
	return next, published, nil
}

// knownCovenants refuses ids that no covenant has had: ids are only given out by the
// server.
func (in *ContractInput) knownCovenants(ctx context.Context, w *change.Writing) error {
	var ids []string
	for _, v := range in.Covenants {
		if v.ItemUID != nil {
			ids = append(ids, *v.ItemUID)
		}
	}
	if len(ids) == 0 {
		return nil
	}
	known, err := store.Collect(ctx, w, store.ScanOne[string], "SELECT DISTINCT CAST(content_item_uid AS text) FROM onboarding_contract_covenant WHERE tenant_id = $1 AND "+
		w.InTexts("CAST(content_item_uid AS text)", "$2"), w.Tenant.ID, w.Texts(ids))
	if err != nil {
		return err
	}
	var refused problem.List
	for i, v := range in.Covenants {
		if v.ItemUID != nil && !slices.Contains(known, *v.ItemUID) {
			refused.Add(problem.Missing(problem.NotFoundCode, "There is no such covenant", element("covenants", i, "contentItemId")...))
		}
	}
	return refused.Err()
}

// differs returns the names of the fields in which a version differs from the one before
// it; none for the first one.
func (in *ContractInput) differs(former *Contract) (fields []string) {
	if former == nil {
		return nil
	}
	for _, f := range []struct {
		name string
		same bool
	}{
		{"title", in.Title == former.Title}, {"body", in.Body == former.Body}, {"bodyFormat", in.BodyFormat == former.BodyFormat},
		{"covenants", slices.EqualFunc(in.Covenants, former.Covenants, CovenantInput.same)},
	} {
		if !f.same {
			fields = append(fields, f.name)
		}
	}
	return fields
}

// same reports whether a covenant is the same as in the version before. A covenant
// without an id is new, whatever its text.
func (in CovenantInput) same(former *Covenant) bool {
	return in.ItemUID != nil && *in.ItemUID == former.ItemUID && in.Sequence == former.Sequence && equal(in.Title, former.Title) && in.Text == former.Text
}

// contract returns the contract to be published.
func (in *ContractInput) contract(w *change.Writing, former *Contract) *Contract {
	digest := sha256.Sum256([]byte(in.Body))
	c := &Contract{UID: newUID(), VersionNumber: 1, Title: in.Title, Body: in.Body, BodyFormat: in.BodyFormat,
		BodySHA256: hex.EncodeToString(digest[:]), IsCurrent: true, PublishedAt: w.Now}
	if former != nil {
		c.VersionNumber = former.VersionNumber + 1
	}
	for _, v := range in.Covenants {
		covenant := &Covenant{UID: newUID(), Sequence: v.Sequence, Title: v.Title, Text: v.Text, PublishedAt: w.Now}
		if v.ItemUID != nil {
			covenant.ItemUID = *v.ItemUID
		} else {
			covenant.ItemUID = newUID()
		}
		c.Covenants = append(c.Covenants, covenant)
	}
	return c
}

func insertContract(ctx context.Context, w *change.Writing, c *Contract) error {
	_, err := store.One(ctx, w, []any{&c.ID}, `INSERT INTO onboarding_contract_version (tenant_id, uid, version_number, title, body, body_format, body_sha256,
			published_at, published_by)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING id`, w.Tenant.ID, c.UID, c.VersionNumber, c.Title, c.Body, c.BodyFormat, c.BodySHA256,
		c.PublishedAt, w.Initiator)
	for _, v := range c.Covenants {
		if err != nil {
			break
		}
		_, err = w.Exec(ctx, `INSERT INTO onboarding_contract_covenant (tenant_id, contract_version_id, uid, content_item_uid, sequence, title, text)
			VALUES ($1, $2, $3, $4, $5, $6, $7)`, w.Tenant.ID, c.ID, v.UID, v.ItemUID, v.Sequence, v.Title, v.Text)
	}
	return err
}

// check checks and normalises the input. The body is left as it is: its blanks may mean
// something, and its digest must be that of what was sent.
func (in *ContractInput) check() error {
	var c contentCheck
	in.Title = c.Required(in.Title, maxContentTitle, "title")
	if text.Trim(in.Body) == "" {
		c.Refuse(problem.Required, "is required", "body")
	}
	c.Text(in.Body, maxContractBody, "body")
	check.One(&c, BodyFormats, in.BodyFormat, "bodyFormat")
	if c.AtMost(len(in.Covenants), maxCovenants, "covenants", "covenants") {
		in.Covenants = c.covenants(in.Covenants)
	}
	return c.Err()
}

func (c *contentCheck) covenants(given []CovenantInput) []CovenantInput {
	covenants, items := make([]CovenantInput, len(given)), make([]string, len(given))
	for i, v := range given {
		c.sequence(v.Sequence, element("covenants", i, "sequence")...)
		v.Title = c.Optional(v.Title, maxContentTitle, element("covenants", i, "title")...)
		v.Text = c.Required(v.Text, maxContentText, element("covenants", i, "text")...)
		if v.ItemUID != nil {
			items[i] = canonical(*v.ItemUID)
			v.ItemUID = &items[i]
		}
		covenants[i] = v
	}
	c.unique(items, func(i int) []string { return element("covenants", i, "contentItemId") })
	return covenants
}

// canonical spells an id as it is stored. It returns a text that is no id as it is; it
// will be unknown.
func canonical(uid string) string {
	if id, err := uuid.Parse(uid); err == nil {
		return id.String()
	}
	return uid
}

// inOrder returns the input with its covenants in the order in which recruits
// read them.
func (in ContractInput) inOrder() *ContractInput {
	in.Covenants = slices.Clone(in.Covenants)
	slices.SortStableFunc(in.Covenants, func(a, b CovenantInput) int { return a.Sequence - b.Sequence })
	return &in
}
