package agency

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/listing"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// AgentFilter holds the conditions of a list of agents. A nil field is no condition.
type AgentFilter struct {
	AgentCodes           []string
	Query                *string
	IsActive             *bool
	Email                *string
	FirstName, LastName  *string
	Jurisdiction         *string
	HomeJurisdiction     *string
	GovernmentIdentifier *string
	NPN                  *string
	ModifiedSince        *time.Time
	PayStatus            []string
	Level                []int
	Tag                  []string
	UplineAgentCode      *string
	DownlineOf           *string
	Holds, Lacks         *Holding
	Or                   []*AgentFilter
	Not                  *AgentFilter
}

// Holding holds the conditions on a certification that has a status on the day.
type Holding struct {
	Type, Jurisdiction, ProviderCompany *string
	Status                              []string
	// ExpiresFrom and ExpiresThrough are the days on which the period in force ends.
	ExpiresFrom, ExpiresThrough *date.Date
}

// maxCodes: "GET /agents agentCodes filter: up to 100 codes" (Limits).
const maxCodes = 100

const (
	// maxDepth bounds how deep filters are inside each other, the outermost not counted.
	maxDepth = 4
	// maxFilters bounds how many filters there are, with all those inside.
	maxFilters = 20
)

// filterTree is a filter that is about to be written, with those inside it.
type filterTree struct {
	*AgentFilter
	store    *store.Store
	tenantID int64
	asOf     history.AsOf
	team     hierarchy.View
	// words are those of the query, and index that of the governmentIdentifier.
	words []word
	index []byte
	// first and last are how the names begin.
	first, last *beginning
	// past is set if queries find by what was known at an instant.
	past *pastKeys
	or   []*filterTree
	not  *filterTree
	// counted is set if all agents are to be found, not the first few in an order.
	counted bool
	// walked is set if the agents are read in the order of the page, and those that the query finds
	// are picked from them.
	walked bool
}

// filterCheck is the check of a filter and of all inside it.
type filterCheck struct {
	record.Check
	team    int64
	filters int
	// searches is true if one of them has a query.
	searches bool
	texts    []record.FilterText
}

// finder finds agents and their periods. It is safe for concurrent use.
type finder struct {
	*teams
	store  *store.Store
	clock  clock.Clock
	vault  *vault.Vault
	writer *record.Writer
	// totals keeps the sizes of lists.
	totals *listing.Totals
}

// compileFilter checks a filter with all that are inside it.
func (l *finder) compileFilter(ctx context.Context, f *AgentFilter, asOf history.AsOf) (*filterTree, error) {
	team, err := l.Team(ctx, record.DefaultTeam)
	if err != nil {
		return nil, err
	}
	c := filterCheck{team: team}
	c.filter(f, 0)
	if !c.AtMost(c.filters, maxFilters, "filters", record.InFilter()...) {
		return nil, c.Err()
	}
	tenantID, err := record.CheckFilter(ctx, l.store, c.texts...)
	if err := record.FirstOf(c.Err(), err); err != nil {
		return nil, err
	}
	base := filterTree{store: l.store, tenantID: tenantID, asOf: asOf, team: hierarchy.View{TeamID: team, AsOf: asOf, Today: l.writer.Today(ctx)}}
	if c.searches {
		if base.past, err = l.pastKeys(ctx, tenantID, asOf); err != nil {
			return nil, err
		}
	}
	return l.treeOf(ctx, f, base)
}

// filter checks a filter at a path. One that is too deep is not looked into.
func (c *filterCheck) filter(f *AgentFilter, depth int, path ...string) {
	if c.filters++; depth > maxDepth {
		c.Refuse(problem.OutOfRange, "must not stand in more than "+strconv.Itoa(maxDepth)+" other filters", record.InFilter(path...)...)
		return
	}
	at := func(field ...string) []string { return slices.Concat(path, field) }
	c.AtMost(len(f.AgentCodes), maxCodes, "codes", record.InFilter(at("agentCodes")...)...)
	if f.Query != nil {
		c.searches = true
		words := searchWords(*f.Query)
		c.AtMost(len(words), maxWords, "words", record.InFilter(at("query")...)...)
		if len(words) == 0 && text.Trim(*f.Query) != "" {
			c.Refuse(problem.InvalidFormat, "must hold a letter or a digit", record.InFilter(at("query")...)...)
		}
	}
	c.texts = append(c.texts, record.Below(path, f.texts(c.team))...)
	for name, h := range map[string]*Holding{"holds": f.Holds, "lacks": f.Lacks} {
		if h != nil {
			c.texts = append(c.texts, record.Below(at(name), h.texts())...)
		}
	}
	if f.Or != nil && len(f.Or) == 0 {
		c.Refuse(problem.Required, "must hold a filter", record.InFilter(at("or")...)...)
	}
	for i, one := range f.Or {
		if c.filters > maxFilters {
			return
		}
		c.filter(one, depth+1, at("or", strconv.Itoa(i))...)
	}
	if f.Not != nil {
		c.filter(f.Not, depth+1, at("not")...)
	}
}

// treeOf returns a filter that was checked, with what its conditions compare. All filters
// have the same base.
func (l *finder) treeOf(ctx context.Context, f *AgentFilter, base filterTree) (*filterTree, error) {
	t := base
	t.AgentFilter = f
	var err error
	if f.Query != nil {
		t.words = searchWords(*f.Query)
	}
	if f.GovernmentIdentifier != nil {
		if t.index, err = governmentIdentifierIndex(ctx, l.vault, t.tenantID, *f.GovernmentIdentifier); err != nil {
			return nil, err
		}
	}
	if t.first, err = t.beginningOf(ctx, "first_name_key", f.FirstName); err != nil {
		return nil, err
	}
	if t.last, err = t.beginningOf(ctx, "last_name_key", f.LastName); err != nil {
		return nil, err
	}
	for _, one := range f.Or {
		inner, err := l.treeOf(ctx, one, base)
		if err != nil {
			return nil, err
		}
		t.or = append(t.or, inner)
	}
	if f.Not != nil {
		t.not, err = l.treeOf(ctx, f.Not, base)
	}
	return &t, err
}

// readsModified reports whether a condition is about when agents were modified.
func (t *filterTree) readsModified() bool {
	return t.ModifiedSince != nil || slices.ContainsFunc(t.or, (*filterTree).readsModified) || t.not != nil && t.not.readsModified()
}

// from writes where the agents a that match are read from; with keys, in an order. Those
// that a query finds come first, which CROSS JOIN tells SQLite.
func (t *filterTree) from(q *store.SQL, keys []page.Key) {
	has := func(key page.Key) bool {
		return slices.ContainsFunc(keys, func(k page.Key) bool { return k.Name == key.Name })
	}
	isFirst := t.words != nil && !t.walked
	if isFirst {
		q.Write("(")
		t.found(q)
		q.Write(") r CROSS JOIN ")
	}
	first := "a"
	switch {
	case has(natural):
		first = "n"
		q.Write(record.KeyTable + " n JOIN agency_agent a ON a.tenant_id = n.tenant_id AND a.id = n.agent_id")
		if t.readsModified() {
			q.Write(" JOIN agency_agent_modified m ON m.tenant_id = a.tenant_id AND m.agent_id = a.id")
		}
	case t.readsModified() || has(lastModified):
		first = "m"
		q.Write("agency_agent_modified m JOIN agency_agent a ON a.tenant_id = m.tenant_id AND a.id = m.agent_id")
	default:
		q.Write("agency_agent a")
	}
	q.Write(" WHERE "+first+".tenant_id = ?", t.tenantID)
	if first == "n" {
		q.Write(" AND n.place = ?", record.NaturalKey)
	}
	switch {
	case isFirst:
		q.Write(" AND a.id = r.agent_id")
	case t.walked:
		t.isFound(q)
		q.Write(" IS TRUE") // or both databases would begin with those found
	}
	t.conditions(q)
}

// isFound writes the condition that the query finds an agent.
func (t *filterTree) isFound(q *store.SQL) {
	q.Write(" AND (a.id IN (SELECT r.agent_id FROM (")
	t.found(q)
	q.Write(") r))")
}

// conditions writes the conditions but the query's, each with AND before it.
func (t *filterTree) conditions(q *store.SQL) {
	if t.AgentCodes != nil {
		q.Write(" AND " + t.store.InTexts("a.code", q.Arg(t.store.Texts(t.AgentCodes))))
	}
	if t.Email != nil {
		// The index leaves out agents without an address; only a condition that
		// says so for any value can use it.
		q.Write(" AND a.email_key = ? AND a.email_key <> ''", SearchKey(t.Email))
	}
	t.first.write(q, t.store)
	t.last.write(q, t.store)
	if t.NPN != nil {
		q.Write(" AND a.npn = ?", *t.NPN)
	}
	if t.ModifiedSince != nil {
		q.Write(" AND m.last_modified >= ?", *t.ModifiedSince)
	}
	if t.GovernmentIdentifier != nil {
		q.Write(" AND a.government_identifier_index = ?", t.index)
	}
	const address = " AND EXISTS (SELECT 1 FROM agency_address d WHERE d.tenant_id = a.tenant_id AND d.agent_id = a.id AND d.jurisdiction = ?"
	if t.Jurisdiction != nil {
		q.Write(address+")", *t.Jurisdiction)
	}
	if t.HomeJurisdiction != nil {
		q.Write(address+" AND d.kind = ?)", *t.HomeJurisdiction, string(HomeAddress))
	}
	if t.Tag != nil {
		q.Write(" AND EXISTS (SELECT 1 FROM agency_tag_assignment x WHERE x.tenant_id = a.tenant_id AND x.agent_id = a.id AND " + t.store.InTexts("x.tag", q.Arg(t.store.Texts(t.Tag))) + ")")
	}
	t.dated(q)
	t.holding(q, t.Holds, "")
	t.holding(q, t.Lacks, " NOT")
	for i, one := range t.or {
		q.Write(map[bool]string{true: " AND (", false: " OR "}[i == 0])
		one.whole(q)
	}
	if t.or != nil {
		q.Write(")")
	}
	if t.not != nil {
		q.Write(" AND ")
		t.not.whole(q)
		q.Write(" IS NOT TRUE") // what is not known is not so
	}
}

// whole writes a filter inside another as one condition.
func (t *filterTree) whole(q *store.SQL) {
	q.Write("(1 = 1")
	if t.words != nil {
		t.isFound(q)
	}
	t.conditions(q)
	q.Write(")")
}

// of writes that there is a row of an agent: looked up for each agent, or, to count, read
// in one go, which takes SQLite less than half as long.
func (t *filterTree) of(q *store.SQL, not, rows, owner string, where func()) {
	if t.counted {
		q.Write(" AND a.id"+not+" IN (SELECT "+owner+" FROM "+rows+" WHERE p.tenant_id = ? AND ", t.tenantID)
	} else {
		q.Write(" AND" + not + " EXISTS (SELECT 1 FROM " + rows + " WHERE p.tenant_id = a.tenant_id AND " + owner + " = a.id AND ")
	}
	where()
	q.Write(")")
}

// dated writes the conditions that are about the day.
func (t *filterTree) dated(q *store.SQL) {
	const statuses = "agency_pay_status_period p"
	if t.IsActive != nil {
		not := ""
		if !*t.IsActive {
			not = " NOT"
		}
		q.Write(" AND" + not + " EXISTS (SELECT 1 FROM " + statuses + " JOIN agency_pay_status s ON s.tenant_id = p.tenant_id AND s.name = p.status WHERE p.tenant_id = a.tenant_id AND p.agent_id = a.id AND " +
			t.asOf.Covers("p", q.Arg) + " AND s.is_active)")
	}
	if t.PayStatus != nil { // there is an index by the status
		t.of(q, "", statuses, "p.agent_id", func() {
			q.Write(t.asOf.Covers("p", q.Arg) + " AND " + t.store.InTexts("p.status", q.Arg(t.store.Texts(t.PayStatus))) + history.InOrder)
		})
	}
	const team = " JOIN agency_team t ON t.tenant_id = p.tenant_id AND t.id = p.team_id AND t.name = '" + record.DefaultTeam + "'"
	if t.Level != nil {
		levels := make([]int64, len(t.Level))
		for i, l := range t.Level {
			levels[i] = int64(l)
		}
		t.of(q, "", "agency_level_period p"+team, "p.agent_id", func() {
			q.Write(t.asOf.Covers("p", q.Arg) + " AND " + t.store.In("p.level", q.Arg(t.store.List(levels))))
		})
	}
	if t.UplineAgentCode != nil {
		// A period keeps the code of an upline that has been deleted since.
		q.Write(" AND a.id IN (SELECT p.agent_id FROM agency_upline_period p JOIN agency_agent u ON u.tenant_id = p.tenant_id AND u.id = p.upline_agent_id"+team+
			" WHERE p.tenant_id = ? AND u.code = ? AND ", t.tenantID, *t.UplineAgentCode)
		q.Write(t.asOf.Covers("p", q.Arg)+" UNION ALL SELECT p.agent_id FROM agency_upline_period p"+team+
			" WHERE p.tenant_id = ? AND p.deleted_upline_code = ? AND ", t.tenantID, *t.UplineAgentCode)
		q.Write(t.asOf.Covers("p", q.Arg) + ")")
	}
	if t.DownlineOf != nil {
		q.Write(" AND a.id IN (")
		t.team.WriteDownline(q, t.tenantID, func(s *store.SQL, column string) string {
			return column + " = (SELECT u.id FROM agency_agent u WHERE u.tenant_id = " + s.Arg(t.tenantID) + " AND u.code = " + s.Arg(*t.DownlineOf) + ")"
		}, "r.descendant_id")
		q.Write(")")
	}
}

// holding writes the condition that an agent holds, or lacks, a certification.
func (t *filterTree) holding(q *store.SQL, h *Holding, not string) {
	if h == nil {
		return
	}
	// CROSS JOIN holds SQLite to the certifications of an agent first: it would read all
	// periods for each agent.
	t.of(q, not, "agency_certification c CROSS JOIN agency_certification_period p", "c.agent_id", func() {
		q.Write("c.tenant_id = ? AND p.certification_id = c.id AND ", t.tenantID)
		q.Write(t.asOf.Covers("p", q.Arg))
		for _, equal := range []struct {
			column string
			value  *string
		}{{"c.type", h.Type}, {"c.jurisdiction", h.Jurisdiction}, {"c.provider_company", h.ProviderCompany}} {
			if equal.value != nil {
				q.Write(" AND "+equal.column+" = ?", *equal.value)
			}
		}
		if h.Status != nil {
			q.Write(" AND " + t.store.InTexts("p.status", q.Arg(t.store.Texts(h.Status))))
		}
		if h.ExpiresFrom != nil { // LastDay is in no index that SQLite could read for each agent
			q.Write(" AND p.effective_through IS NOT NULL AND "+history.LastDay+" >= ?", *h.ExpiresFrom)
		}
		if h.ExpiresThrough != nil {
			q.Write(" AND "+history.LastDay+" <= ?", *h.ExpiresThrough)
		}
	})
}

// last comes after all that texts which begin with another go on with.
const last = "\U0010FFFF"

func (f AgentFilter) texts(team int64) []record.FilterText {
	texts := record.FilterList("agentCodes", f.AgentCodes)
	for i := range f.PayStatus {
		texts = append(texts, record.FilterOf(record.PayStatusTable, "payStatus", &f.PayStatus[i]))
	}
	for i := range f.Tag {
		texts = append(texts, record.FilterOf(record.TagTable, "tag", &f.Tag[i]))
	}
	for _, l := range f.Level {
		texts = append(texts, record.FilterOf(record.LevelTable(team), "level", new(strconv.Itoa(l))))
	}
	return append(texts, record.FilterOn("email", f.Email), record.FilterOn("firstName", f.FirstName), record.FilterOn("lastName", f.LastName),
		record.FilterOf(record.JurisdictionTable, "jurisdiction", f.Jurisdiction), record.FilterOf(record.JurisdictionTable, "homeJurisdiction", f.HomeJurisdiction),
		record.FilterOn("governmentIdentifier", f.GovernmentIdentifier), record.FilterOn("npn", f.NPN),
		record.FilterOn("uplineAgentCode", f.UplineAgentCode), record.FilterOn("downlineOf", f.DownlineOf), record.FilterOn("query", f.Query))
}

func (h *Holding) texts() []record.FilterText {
	return []record.FilterText{record.FilterOf(record.CertificationTypeTable, "type", h.Type), record.FilterOf(record.JurisdictionTable, "jurisdiction", h.Jurisdiction),
		record.FilterOf(record.ProviderCompanyTable, "providerCompany", h.ProviderCompany)}
}

// beginning is how the names begin that a filter asks for. Accents do not count, as in a
// search: garcia finds García, and García finds Garcia.
type beginning struct {
	column string
	// keys are what the keys of names begin with: the text as it was given, and without accents.
	keys []string
	// others are the keys of names that differ from these in their accents.
	others []string
}

// accented is the SQL for whether a key of a name has letters beyond a to z. An index has the
// keys of such names (migration 158).
func accented(s *store.Store, column string) string {
	if s.Postgres() {
		return "octet_length(" + column + ") <> char_length(" + column + ")"
	}
	return "length(CAST(" + column + " AS blob)) <> length(" + column + ")"
}

// beginningOf returns how names begin that begin with a text, as of a day; nil for none or a
// blank one.
func (t *filterTree) beginningOf(ctx context.Context, column string, begin *string) (*beginning, error) {
	key := SearchKey(begin)
	if key == "" {
		return nil, nil
	}
	b := &beginning{column: column, keys: []string{key}}
	folded := text.Fold(key)
	if folded != key {
		b.keys = append(b.keys, folded)
	}
	ctx = visibility.AsKnown(ctx, t.asOf)
	names, err := store.Collect(ctx, t.store, store.ScanOne[string], "SELECT DISTINCT a."+column+" FROM agency_agent a WHERE a.tenant_id = $1 AND "+accented(t.store, "a."+column), t.tenantID)
	for _, name := range names {
		if strings.HasPrefix(text.Fold(name), folded) && !strings.HasPrefix(name, key) {
			b.others = append(b.others, name)
		}
	}
	return b, err
}

// write writes the condition, with AND before it.
func (b *beginning) write(q *store.SQL, s *store.Store) {
	if b == nil {
		return
	}
	column, next := "a."+b.column, " AND ("
	for _, key := range b.keys {
		q.Write(next+column+" >= ? AND "+column+" < ?", key, key+last)
		next = " OR "
	}
	if b.others != nil {
		q.Write(" OR " + s.InTexts(column, q.Arg(s.Texts(b.others))))
	}
	q.Write(")")
}

// lastModified is the key of lists in the order of changes, which agency_agent_modified m
// has in an index.
var lastModified = page.Key{Name: "modified", SQL: "m.last_modified", Kind: page.Time}

// natural is the key of lists in the order of the numbers in codes, which agency_agent_key
// n has in its index.
var natural = page.Key{Name: "natural", SQL: "n.key", Kind: page.Text}
