package agency

import (
	"context"
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/agency/certification"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/tenant"
)

// Lexicon knows what the words and the keys in files of others mean.
type Lexicon struct {
	store    *store.Store
	registry *registry
}

// Lexicon returns the lexicon of the agencies.
func (s *Service) Lexicon() Lexicon { return Lexicon{s.finder.store, s.registry} }

// linesOfAuthority are groups of names for the same line of authority: a type that is called
// one of them is meant by the others.
var linesOfAuthority = [][]string{
	{"life", "ordinary life", "life only", "l", "life insurance"},
	{"accident and health", "health", "accident and health or sickness", "a and h", "accident health", "disability", "accident and sickness", "acc and health", "h", "accident health and sickness", "accident", "sickness"},
	{"property", "prop", "p"},
	{"casualty", "cas", "c"},
	{"personal lines", "personal"},
	{"variable", "variable life and annuities", "variable life and variable annuity", "variable annuity", "var annuity", "variable products", "variable life", "variable contracts"},
	{"adjuster", "all lines adjuster"},
}

// referenceLists are the lists of words that an agency configures, each with the statement that reads
// it: the key, a name, and a number of the industry.
var referenceLists = map[string]string{
	bulk.Jurisdictions:      "SELECT code, name, '' FROM agency_jurisdiction WHERE tenant_id = $1 AND is_enabled",
	bulk.CertificationTypes: "SELECT code, name, '' FROM agency_certification_type WHERE tenant_id = $1 AND is_enabled",
	bulk.ProviderCompanies:  "SELECT code, name, coalesce(naic_code, '') FROM agency_provider_company WHERE tenant_id = $1 AND is_enabled",
	bulk.PayStatuses:        "SELECT name, name, '' FROM agency_pay_status WHERE tenant_id = $1",
}

// Words returns the meanings of the words of each list.
func (l Lexicon) Words(ctx context.Context) (map[string][]bulk.Meaning, error) {
	id, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	words := map[string][]bulk.Meaning{bulk.CertificationStatuses: certification.Words()}
	for list, query := range referenceLists {
		words[list], err = store.Collect(ctx, l.store, func(row store.Scanner) (m bulk.Meaning, err error) {
			var name, number string
			err = row.Scan(&m.Value, &name, &number)
			m.Names = alsoCalled(list, m.Value, name, number)
			return m, err
		}, query, id)
		if err != nil {
			return nil, err
		}
	}
	words[bulk.AgentLevels], err = store.Collect(ctx, l.store, func(row store.Scanner) (bulk.Meaning, error) {
		var value int
		var name string
		err := row.Scan(&value, &name)
		return bulk.Meaning{Value: strconv.Itoa(value), Names: []string{name}}, err
	}, "SELECT DISTINCT value, name FROM agency_agent_level WHERE tenant_id = $1 AND is_enabled", id)
	return words, err
}

// alsoCalled returns what files call a key.
func alsoCalled(list, key, name, number string) []string {
	names := []string{name}
	switch list {
	case bulk.Jurisdictions:
		if _, short, ok := strings.Cut(key, "-"); ok {
			names = append(names, short)
		}
	case bulk.ProviderCompanies:
		if number != "" { // a number loses its zeros in a spreadsheet
			names = append(names, number, strings.TrimLeft(number, "0"))
		}
	case bulk.PayStatuses:
		if letter := name[:min(1, len(name))]; strings.EqualFold(name, "Active") || strings.EqualFold(name, "Terminated") {
			names = append(names, letter)
		}
	case bulk.CertificationTypes:
		for _, group := range linesOfAuthority {
			for _, one := range group {
				if strings.EqualFold(one, name) || strings.EqualFold(one, key) {
					names = append(names, group...)
					break
				}
			}
		}
	}
	return names
}

// NewCodes returns codes for so many new agents, in the order in which registrations get them; in a
// trial they stay free.
func (l Lexicon) NewCodes(ctx context.Context, n int, initiator string, isTrial bool) (codes []string, err error) {
	master, err := l.registry.masterFor(ctx, Registration{})
	if err != nil {
		return nil, err
	}
	err = l.registry.writer.Write(ctx, initiator, isTrial, func(ctx context.Context, w *record.Writing) error {
		codes = make([]string, n)
		for i := range codes {
			if codes[i], err = generatedCode(ctx, w, master); err != nil {
				return err
			}
		}
		return nil
	})
	return codes, err
}

// Introduce calls f for each name that an agent has, of the ways that are asked for.
func (l Lexicon) Introduce(ctx context.Context, by map[bulk.KeyBy]bool, f func(r bulk.Reference, code string)) error {
	id, err := tenant.ID(ctx)
	if err != nil {
		return err
	}
	each := func(query string, scan func(row store.Scanner) error) {
		if err == nil {
			err = store.Each(ctx, l.store, new(store.SQL).Write(query, id), scan)
		}
	}
	each("SELECT code, coalesce(npn, ''), coalesce(email, ''), first_name, coalesce(middle_name, ''), last_name, coalesce(suffix, '') FROM agency_agent WHERE tenant_id = ?", func(row store.Scanner) error {
		var a bulk.Introduction
		err := row.Scan(&a.Code, &a.NPN, &a.Email, &a.First, &a.Middle, &a.Last, &a.Suffix)
		a.Names(f)
		return err
	})
	named := func(way bulk.KeyBy, query string) {
		if !by[way] {
			return
		}
		each(query, func(row store.Scanner) error {
			var code, key, within string
			err := row.Scan(&code, &key, &within)
			f(bulk.Reference{By: way, Key: key, Within: within}, code)
			return err
		})
	}
	named(bulk.ByAlias, "SELECT a.code, n.identifier, coalesce(n.provider_company, '') FROM agency_alias n JOIN agency_agent a ON a.tenant_id = n.tenant_id AND a.id = n.agent_id WHERE n.tenant_id = ?")
	named(bulk.ByLicence, "SELECT DISTINCT a.code, c.identifier, coalesce(c.jurisdiction, '') FROM agency_certification c JOIN agency_agent a ON a.tenant_id = c.tenant_id AND a.id = c.agent_id WHERE c.tenant_id = ? AND c.identifier IS NOT NULL")
	return err
}
