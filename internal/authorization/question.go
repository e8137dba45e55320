package authorization

import (
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/hierarchy"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/platform/page"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/store/visibility"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Question asks who may sell what where.
type Question struct {
	// AgentCodes are the agents; DownlineOf asks for an agent and its downline instead.
	// Without both, all agents of the agency are asked for.
	AgentCodes []string
	DownlineOf *string
	// Agents selects agents by their ids, instead; nil for those above.
	Agents []int64
	// Products are codes; nil for all that have a rule in force on the day or later.
	// Jurisdictions are codes; nil for all that are configured.
	Products, Jurisdictions []string
	history.AsOf
	// Status and Reason select rows: with a status, with a reason of a code.
	Status *Status
	Reason *Code
}

// Row is the answer for an agent, a product and a jurisdiction.
type Row struct {
	AgentID                          int64
	AgentCode, Product, Jurisdiction string
	Answer
}

// MaxNamed bounds the agents, products and jurisdictions that a question names.
const MaxNamed = 1000

// Service answers questions. It is safe for concurrent use.
type Service struct{ store *store.Store }

// New returns the service.
func New(s *store.Store) *Service { return &Service{s} }

// Page returns a page of the rows, by agent (the first to be registered first), product
// and jurisdiction.
func (s *Service) Page(ctx context.Context, question Question, args page.Args) (page.Page[Row], error) {
	ctx = visibility.AsKnown(ctx, question.AsOf)
	t := tenant.From(ctx)
	if t == nil {
		return page.Page[Row]{}, tenant.ErrNone
	}
	list := page.List{Name: "salesAuthorizations", TenantID: t.ID, Default: t.DefaultPageSize, Max: t.MaxPageSize,
		Keys: []page.Key{{Name: "agent", Kind: page.Int}, {Name: "product", Kind: page.Text}, {Name: "jurisdiction", Kind: page.Text}}}
	plan, err := list.Plan(ctx, args)
	if err != nil {
		return page.Page[Row]{}, err
	}
	a, err := ask(ctx, s.store, question)
	if err != nil {
		return page.Page[Row]{}, err
	}
	if place := plan.After(); place != nil {
		a.after = &Row{AgentID: place[0].(int64), Product: place[1].(string), Jurisdiction: place[2].(string)}
	}
	var rows []Row
	if err = a.each(ctx, plan.Limit(), func(_ *Snapshot, r Row) bool {
		rows = append(rows, r)
		return len(rows) < plan.Limit()
	}); err != nil {
		return page.Page[Row]{}, err
	}
	p := page.Cut(plan, rows, func(r Row) []any { return []any{r.AgentID, r.Product, r.Jurisdiction} })
	if args.Counted {
		p.Total, err = a.count(ctx)
	}
	return p, err
}

// Each tells all rows of a question, in the order of Page, until tell returns false.
func Each(ctx context.Context, q store.Querier, question Question, tell func(Row) bool) error {
	ctx = visibility.AsKnown(ctx, question.AsOf)
	a, err := ask(ctx, q, question)
	if err != nil {
		return err
	}
	return a.each(ctx, most, func(_ *Snapshot, r Row) bool { return tell(r) })
}

// Ends tells the rows of a question that are authorized, and by themselves no more after a
// day up to a last one; and why they are not then.
func Ends(ctx context.Context, q store.Querier, question Question, last date.Date, tell func(Row, []Reason)) error {
	ctx = visibility.AsKnown(ctx, question.AsOf)
	question.Status = new(Authorized)
	a, err := ask(ctx, q, question)
	if err != nil {
		return err
	}
	return a.each(ctx, most, func(s *Snapshot, r Row) bool {
		if r.ValidThrough != nil && *r.ValidThrough <= last {
			after := s.Answer(r.AgentID, r.Product, r.Jurisdiction, r.ValidThrough.AddDays(1))
			after.hide(s)
			tell(r, after.Reasons)
		}
		return true
	})
}

// Rules returns what the rules of products require, of all if none are named, in the
// periods that have not ended before a day: by product, the first rule to be made first.
func (s *Service) Rules(ctx context.Context, products []string, at history.AsOf) ([]Rule, error) {
	ctx = visibility.AsKnown(ctx, at)
	r, err := readerOf(ctx, s.store, at)
	if err != nil {
		return nil, err
	}
	rules, err := r.rules(ctx, products)
	all := []Rule{}
	for _, product := range slices.Sorted(maps.Keys(rules)) {
		all = append(all, rules[product]...)
	}
	return all, err
}

// asked is a question whose names were looked up.
type asked struct {
	Question
	read             *reader
	rules            map[string][]Rule
	products, places []string
	needs            Needs
	// covered numbers the places for each product: those of one number are covered by the same rules.
	covered map[string][]int
	// ids are the agents, in order; nil for all.
	ids   []int64
	after *Row
	// counting is true if the rows are wanted without their answers.
	counting bool
}

func ask(ctx context.Context, q store.Querier, question Question) (*asked, error) {
	r, err := readerOf(ctx, q, question.AsOf)
	if err != nil {
		return nil, err
	}
	a := &asked{Question: question, read: r}
	if err := a.check(ctx); err != nil {
		return nil, err
	}
	if a.rules, err = r.rules(ctx, question.Products); err != nil {
		return nil, err
	}
	if a.products = Split(Joined(question.Products)); question.Products == nil {
		a.products = slices.Sorted(maps.Keys(a.rules))
	}
	a.cover()
	a.needs = needs(a.rules, question.Jurisdictions)
	return a, a.find(ctx)
}

// check refuses what is not configured, and reads the jurisdictions that are.
func (a *asked) check(ctx context.Context) error {
	var refused problem.List
	if a.AgentCodes != nil && a.DownlineOf != nil {
		refused.Add(problem.Invalid(problem.NotApplicable, "goes without agentCodes", "downlineOf"))
	}
	for field, codes := range map[string][]string{"agentCodes": a.AgentCodes, "products": a.Products, "jurisdictions": a.Jurisdictions} {
		if len(codes) > MaxNamed {
			refused.Add(problem.Invalid(problem.OutOfRange, "must not be more than "+strconv.Itoa(MaxNamed), field).With("max", MaxNamed))
		}
	}
	if err := refused.Err(); err != nil {
		return err
	}
	codes := func(table string) (codes []string, err error) {
		return store.Collect(ctx, a.read.q, store.ScanOne[string], "SELECT code FROM "+table+" WHERE tenant_id = $1", a.read.tenantID)
	}
	places, err := codes("agency_jurisdiction")
	if err != nil {
		return err
	}
	refused.Add(unknown(a.Jurisdictions, places, problem.UnknownJurisdiction, "The specified jurisdiction is not recognized.", "jurisdictions")...)
	if a.Products != nil {
		products, err := codes("agency_product")
		if err != nil {
			return err
		}
		refused.Add(unknown(a.Products, products, problem.UnknownProduct, "The specified product is not recognized.", "products")...)
	}
	if a.places = Split(Joined(places)); a.Jurisdictions != nil {
		a.places = Split(Joined(a.Jurisdictions))
	}
	return refused.Err()
}

// unknown are the problems of codes that are none of those that there are.
func unknown(codes, there []string, code problem.Code, message, field string) (refused []*problem.Error) {
	known := map[string]bool{}
	for _, c := range there {
		known[c] = true
	}
	for i, c := range codes {
		if !known[c] {
			refused = append(refused, problem.Invalid(code, message, field, strconv.Itoa(i)))
		}
	}
	return refused
}

// find finds the agents that the question names.
func (a *asked) find(ctx context.Context) error {
	switch {
	case a.Agents != nil:
		a.ids = slices.Clone(a.Agents)
	case a.AgentCodes != nil:
		found := map[string]int64{}
		var s store.SQL
		s.Write("SELECT a.id, a.code FROM agency_agent a WHERE a.tenant_id = " + s.Arg(a.read.tenantID) + " AND " + a.read.q.InTexts("a.code", s.Arg(a.read.q.Texts(a.AgentCodes))))
		err := store.Each(ctx, a.read.q, &s, func(row store.Scanner) error {
			var (
				id   int64
				code string
			)
			err := row.Scan(&id, &code)
			found[code] = id
			return err
		})
		if err != nil {
			return err
		}
		var refused problem.List
		refused.Add(unknown(a.AgentCodes, slices.Collect(maps.Keys(found)), problem.UnknownAgent, "There is no agent with this code", "agentCodes")...)
		if err := refused.Err(); err != nil {
			return err
		}
		a.ids = append([]int64{}, slices.Collect(maps.Values(found))...)
	case a.DownlineOf != nil:
		var root int64
		found, err := store.One(ctx, a.read.q, []any{&root}, "SELECT id FROM agency_agent WHERE tenant_id = $1 AND code = $2", a.read.tenantID, *a.DownlineOf)
		if err == nil && !found {
			err = problem.Invalid(problem.UnknownAgent, "There is no agent with this code", "downlineOf")
		}
		if err != nil {
			return err
		}
		var s store.SQL
		// The periods are walked, since the flattened hierarchy may be behind.
		hierarchy.View{TeamID: a.read.team, AsOf: a.AsOf}.WriteDownline(&s, a.read.tenantID, func(s *store.SQL, column string) string { return column + " = " + s.Arg(root) }, "r.descendant_id")
		if a.ids, err = store.Collect(ctx, a.read.q, store.ScanOne[int64], s.Text(), s.Args()...); err != nil {
			return err
		}
		a.ids = append(a.ids, root)
	}
	slices.Sort(a.ids)
	return nil
}

// most is how many agents are looked at together.
const most = 1000

// each tells the rows after a place until enough returns false. rows is how many are
// wanted.
func (a *asked) each(ctx context.Context, rows int, more func(*Snapshot, Row) bool) error {
	if a.Reason != nil && a.Status != nil && *a.Status == Authorized { // who may sell lacks nothing
		return nil
	}
	last := int64(0)
	if a.after != nil {
		last = a.after.AgentID - 1
	}
	cells := max(1, len(a.products)*len(a.places))
	for some := min(most, 1+rows/cells); ; some = min(most, 4*some) {
		ids, err := a.next(ctx, last, some)
		if err != nil || len(ids) == 0 {
			return err
		}
		snapshot, err := a.load(ctx, ids)
		if err != nil {
			return err
		}
		for _, id := range ids {
			if snapshot.Agents[id] != nil && !a.agent(snapshot, id, more) {
				return nil
			}
		}
		last = ids[len(ids)-1]
	}
}

// next returns some agents after one.
func (a *asked) next(ctx context.Context, last int64, some int) ([]int64, error) {
	if a.ids != nil {
		from, _ := slices.BinarySearch(a.ids, last+1)
		return a.ids[from:min(from+some, len(a.ids))], nil
	}
	return store.Collect(ctx, a.read.q, store.ScanOne[int64], "SELECT a.id FROM agency_agent a WHERE a.tenant_id = $1 AND a.id > $2 ORDER BY a.id LIMIT $3", a.read.tenantID, last, some)
}

// load reads what is known of agents and of those above them, and which of these the caller
// sees.
func (a *asked) load(ctx context.Context, ids []int64) (*Snapshot, error) {
	all, err := a.read.agents(tenant.Whole(ctx, "whether an agent may sell depends on uplines whom the caller does not see; load says which ones these are, and each leaves them out"), ids, a.needs)
	if err != nil {
		return nil, err
	}
	snapshot := &Snapshot{Rules: a.rules, Agents: all}
	if _, limited := tenant.LimitOf(ctx); !limited || a.needs.Depth == 0 {
		return snapshot, nil
	}
	var s store.SQL
	s.Write("SELECT a.code FROM agency_agent a WHERE " + a.read.of(&s, "a.tenant_id", "a.id", slices.Collect(maps.Keys(all))) + store.ByID)
	seen, err := store.Collect(ctx, a.read.q, store.ScanOne[string], s.Text(), s.Args()...)
	snapshot.hidden = map[string]bool{}
	for _, of := range all {
		snapshot.hidden[of.Code] = true
	}
	for _, code := range seen {
		delete(snapshot.hidden, code)
	}
	return snapshot, err
}

// agent tells the rows of an agent, and reports whether more are wanted.
func (a *asked) agent(s *Snapshot, id int64, more func(*Snapshot, Row) bool) bool {
	of := s.Agents[id]
	for _, product := range a.products {
		alike := a.alike(s, id, product)
		var turns []date.Date
		found := map[int]Answer{}
		for i, place := range a.places {
			if a.isBefore(id, product, place) {
				continue
			}
			answer, ok := found[alike[i]]
			if !ok {
				if answer = a.answer(s, id, product, place); answer.Status != "" && !a.counting {
					if turns == nil {
						turns = s.Turns(id, product, a.Day)
					}
					answer.ValidThrough = s.ValidThrough(id, product, place, answer.Status == Authorized, turns)
					answer.hide(s)
				}
				found[alike[i]] = answer
			}
			if answer.Status != "" && !more(s, Row{id, of.Code, product, place, answer}) {
				return false
			}
		}
	}
	return true
}

// answer answers for the day, without ValidThrough. An answer that is not asked for has no status;
// one that is only counted has nothing else, unless reasons are asked for.
func (a *asked) answer(s *Snapshot, id int64, product, place string) Answer {
	is := NotAuthorized
	if s.judge(id, product, place, a.Day, nil) {
		is = Authorized
	}
	switch {
	case a.Status != nil && is != *a.Status || a.Reason != nil && is == Authorized:
		return Answer{}
	case a.counting && a.Reason == nil:
		return Answer{Status: is}
	}
	answer := s.Answer(id, product, place, a.Day)
	if a.Reason != nil && !slices.ContainsFunc(answer.Reasons, func(r Reason) bool { return r.Code == *a.Reason }) {
		return Answer{}
	}
	return answer
}

// alike returns a number for each jurisdiction: those of one number have the same answers about
// an agent and a product, since the same rules cover them, and neither the agent nor anybody who
// may be above it has a certification that names one of them.
func (a *asked) alike(s *Snapshot, id int64, product string) []int {
	numbers := slices.Clone(a.covered[product])
	for of := range s.concerned(id, product) {
		for i := range of.Certifications {
			if at, named := slices.BinarySearch(a.places, of.Certifications[i].Jurisdiction); named {
				numbers[at] = -1 - at
			}
		}
	}
	return numbers
}

// cover numbers the jurisdictions by the rules of each product that cover them.
func (a *asked) cover() {
	a.covered = map[string][]int{}
	for _, product := range a.products {
		numbers, seen := make([]int, len(a.places)), map[string]int{}
		for i, place := range a.places {
			var by []byte
			for _, r := range a.rules[product] {
				by = strconv.AppendBool(by, r.covers(place))
			}
			if _, ok := seen[string(by)]; !ok {
				seen[string(by)] = len(seen)
			}
			numbers[i] = seen[string(by)]
		}
		a.covered[product] = numbers
	}
}

// isBefore reports whether a row comes before the page.
func (a *asked) isBefore(id int64, product, place string) bool {
	switch {
	case a.after == nil || id != a.after.AgentID:
		return false
	case product != a.after.Product:
		return product < a.after.Product
	}
	return place <= a.after.Jurisdiction
}

// hide leaves out of an answer what is about uplines whom the caller does not see, except
// what is missing.
func (a *Answer) hide(s *Snapshot) {
	a.Through = slices.DeleteFunc(a.Through, func(code string) bool { return s.hidden[code] })
	for i, r := range a.Reasons {
		if s.hidden[r.AgentCode] {
			a.Reasons[i] = Reason{Code: r.Code, Depth: r.Depth, Rule: r.Rule, CertificationTypes: r.CertificationTypes, ProviderCompany: r.ProviderCompany, MinimumLevel: r.MinimumLevel}
		}
	}
}

// count counts the rows of the question on all pages.
func (a *asked) count(ctx context.Context) (total int, err error) {
	if a.Status == nil && a.Reason == nil {
		agents := len(a.ids)
		if a.ids == nil {
			_, err = store.One(ctx, a.read.q, []any{&agents}, "SELECT count(*) FROM agency_agent a WHERE a.tenant_id = $1", a.read.tenantID)
		}
		return agents * len(a.products) * len(a.places), err
	}
	all := *a
	all.after, all.counting = nil, true
	return total, all.each(ctx, most*most, func(*Snapshot, Row) bool { total++; return true })
}
