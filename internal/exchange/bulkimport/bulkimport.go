// Package bulkimport brings files of rows into an agency. Each row follows the rules of
// the single operation, many rows share a transaction, and the flattened hierarchy is
// rebuilt once.
//
// A file is read in chunks and never kept. With RejectEverything one transaction holds
// all chunks. With RejectFailedRows each chunk has a transaction, which also notes how
// far the import has come, so that an import that was killed continues where it stopped.
// A dry run rolls back what it writes.
package bulkimport

import (
	"context"
	"io"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
)

// Entity writes the rows of one kind: an area's side of an import.
type Entity interface {
	// Columns returns the columns that a file of the entity may have.
	Columns() []bulk.Column
	// Apply checks rows, writes the good ones with their events and audit entry, and
	// returns the result of each, in their order. Its error is one of the database. When
	// another transaction makes the database refuse this one, Apply is called again.
	Apply(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error)
}

// Seconder is an Entity whose files are read twice, so that a row may refer to a later
// one. Second gets the rows that Apply has accepted, after Apply has seen all. Its result
// counts only where it rejects a row: Apply already reports a row that Second will change
// as Updated or Created.
type Seconder interface {
	Second(ctx context.Context, tx *store.Tx, rows []bulk.Row, initiator string) ([]bulk.Result, error)
}

// Finisher is an Entity whose rows change who is above whom. Wrote is called with the
// rows of a chunk, and notes that the flattened hierarchy is behind; an import that is
// killed and not run again leaves it behind for a minute. Finish is called once, at the
// end of an import that wrote something, and has the hierarchy rebuilt.
type Finisher interface {
	Wrote(ctx context.Context, tx *store.Tx) error
	Finish(ctx context.Context, tx *store.Tx) error
}

// Keyed is an Entity for which two equal rows of a file may be two records. An import
// that is run again could not tell them from one, so the second row is refused, however
// far it is behind the first.
type Keyed interface {
	// FileKey returns all that a row says, normalised; empty for a row that Apply
	// refuses.
	FileKey(row bulk.Row) string
	// Repeated is the problem of a row whose key an earlier row has.
	Repeated() *problem.Error
}

// Referring is an Entity whose rows may refer to rows that come later in the file. Apply
// learns of each row whether it refers to something that is not in the file
// (bulk.Row.Outside), and whether an earlier row has its key (bulk.Row.Again).
type Referring interface {
	// Reference returns the key of a row, and the key that it refers to; either may be
	// empty.
	Reference(row bulk.Row) (key, to string)
}

// Lexicon knows what the words and the keys of files mean: an area's side of reading them.
type Lexicon interface {
	// Words returns the meanings of the words of each list that is configured.
	Words(ctx context.Context) (map[string][]bulk.Meaning, error)
	// Warnings calls f for what is odd of agents on a day, as a transaction has them.
	Warnings(ctx context.Context, tx *store.Tx, codes []string, on date.Date, f func(code string, w bulk.Warning)) error
	// NewCodes returns codes for so many new agents, which nobody gets again; in a trial others may.
	NewCodes(ctx context.Context, n int, initiator string, isTrial bool) ([]string, error)
	// Introduce calls f for each name that an agent has, of the ways that are asked for.
	Introduce(ctx context.Context, by map[bulk.KeyBy]bool, f func(r bulk.Reference, code string)) error
}

// EntityName names what the rows of a file are.
type EntityName string

// The entities.
const (
	Agent            = "AGENT"
	Certification    = "CERTIFICATION"
	UplinePeriod     = "UPLINE_PERIOD"
	LevelPeriod      = "LEVEL_PERIOD"
	PayStatusPeriod  = "PAY_STATUS_PERIOD"
	ProductionRecord = "PRODUCTION_RECORD"
	Commission       = "COMMISSION_PAYMENT"

	PayStatus         = "PAY_STATUS"
	AgentLevel        = "AGENT_LEVEL"
	CertificationType = "CERTIFICATION_TYPE"
	Jurisdiction      = "JURISDICTION"
	ProviderCompany   = "PROVIDER_COMPANY"
	Tag               = "TAG"
	Product           = "PRODUCT"
	ProductRule       = "PRODUCT_RULE"
)

// EntityNames are all entities.
var EntityNames = enum.Of[EntityName](Agent, Certification, UplinePeriod, LevelPeriod, PayStatusPeriod, ProductionRecord, Commission,
	PayStatus, AgentLevel, CertificationType, Jurisdiction, ProviderCompany, Tag, Product, ProductRule)

// Policy says what a rejected row means for the others.
type Policy string

// The policies.
const (
	RejectEverything Policy = "REJECT_EVERYTHING"
	RejectFailedRows Policy = "REJECT_FAILED_ROWS"
)

// Policies are all policies.
var Policies = enum.Of(RejectEverything, RejectFailedRows)

const (
	// ChunkRows is the number of rows that are written at once.
	ChunkRows = 1000
	// MaxAsOne bounds the rows that SQLite writes in one transaction: it has one writer,
	// for which others wait ten seconds at most.
	MaxAsOne = 50_000
	// MaxRejections bounds the rejected rows of a Report.
	MaxRejections = 1000
	// maxKey bounds the key of an import, in characters.
	maxKey = 255
	// maxSource bounds the name of who says what a file says, in characters.
	maxSource = 100
)

// Service runs imports. It is safe for concurrent use.
type Service struct {
	store    *store.Store
	clock    clock.Clock
	vault    *vault.Vault
	lexicon  Lexicon
	past     Past
	entities map[string]Entity
}

// New returns a service of entities by their names.
func New(s *store.Store, c clock.Clock, v *vault.Vault, l Lexicon, p Past, entities map[string]Entity) *Service {
	return &Service{store: s, clock: c, vault: v, lexicon: l, past: p, entities: entities}
}

// Names returns the names of the entities, sorted.
func (s *Service) Names() []string { return slices.Sorted(maps.Keys(s.entities)) }

// Columns returns the columns that a file of an entity may have; nil for an unknown
// entity.
func (s *Service) Columns(entity string) []bulk.Column {
	if e := s.entities[entity]; e != nil {
		return bulk.Extended(e.Columns())
	}
	return nil
}

// Import is a file to bring in.
type Import struct {
	Entity string
	// File is read from its beginning, several times.
	File io.ReadSeeker
	// Mapping says how the file differs from what the entity has it.
	bulk.Mapping
	Policy Policy
	// Compare makes a comparison of it with what is held.
	Compare Compare
	// Only are the numbers of the rows that are written, as a check told them; nil for all.
	Only []int
	// FileName is what the file is called.
	FileName string
	// Key identifies an import, so that one that is sent again is the same. When it is
	// empty, it is derived from the file, its entity, mapping and policy.
	Key       string
	Initiator string
	DryRun    bool

	// Progress is called after each chunk.
	Progress func(Progress)
	// Rejected is called for each row that is rejected, as soon as that is certain.
	Rejected func(bulk.Result)
	// Restarted is called when the transaction of all rows is run again: the calls of
	// Rejected so far do not count any more.
	Restarted func()
}

// Progress is how far an import has come.
type Progress struct {
	// Pass counts from 1 to Passes: how often the file is read.
	Pass, Passes int
	// Rows of the file's Total are done in this pass.
	Rows, Total int
}

// Report is what became of an import.
type Report struct {
	Key string
	counts
	// Header are the heads of the file.
	Header []string
	// Changes are the first rows that would make or change something; only of a dry run.
	Changes []Change
	// Rejections are the first rows that were rejected.
	Rejections []bulk.Result
	// Refusals are the problems of all of them, the most frequent first.
	Refusals []Refusal
	// Remarks say how the file was read, and what to know of rows that were not rejected.
	Remarks []bulk.Remark
	// EachRejected calls f with what the file has in each rejected row, whose heads are Header;
	// while the file is open.
	EachRejected func(f func(number int, cells []string) error) error
	// InWords says what is wrong with a row in the words of the file; cells are what the file has in
	// it.
	InWords func(problems []*problem.Error, cells []string) []string
	// Doubts are what has to be answered before anything is written; a dry run takes what is
	// likely.
	Doubts problem.List
	// Applied reports whether the accepted rows are in the database.
	Applied bool
	// Repeated reports that the import was finished before, and nothing was done;
	// Resumed that an earlier one was gone on with.
	Repeated, Resumed bool
}

// counts are numbers of rows.
type counts struct {
	// Accepted and Rejected are all rows.
	Accepted, Rejected int
	// So many rows made a record, changed one, or found it as it is. Rows that were
	// rejected on the second pass are among them.
	Created, Updated, Unchanged int
}

// with adds what became of some rows in a pass.
func (c counts) with(pass int, results []bulk.Result) counts {
	for _, r := range results {
		switch {
		case r.Outcome == bulk.Rejected && pass > 0:
			c.Rejected++
			c.Accepted--
		case r.Outcome == bulk.Rejected:
			c.Rejected++
		case pass > 0:
		default:
			c.Accepted++
			switch r.Outcome {
			case bulk.Created:
				c.Created++
			case bulk.Updated:
				c.Updated++
			default:
				c.Unchanged++
			}
		}
	}
	return c
}

// maxFileName bounds the name of a file that is kept, in characters.
const maxFileName = 255

// shownName returns the name of a file without what cannot be stored or shown.
func shownName(name string) string {
	name = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name)
	runes := []rune(name)
	return string(runes[:min(len(runes), maxFileName)])
}

// check returns the entity of an import whose settings are good.
func (s *Service) check(i *Import) (Entity, error) {
	var wrong check.Problems
	e := s.entities[i.Entity]
	if e == nil {
		wrong.Add(problem.Invalid(problem.UnknownField, "must be one of "+strings.Join(s.Names(), ", "), "entity"))
	}
	check.One(&wrong, Policies, string(i.Policy), "errorPolicy")
	if i.Compare.Source = strings.TrimSpace(i.Compare.Source); i.Compare.Source != "" {
		wrong.Line(i.Compare.Source, maxSource, "compare")
		check.One(&wrong, Degrees, string(i.Compare.IsWhole), "compare")
	}
	i.FileName = shownName(i.FileName)
	i.Initiator = wrong.Initiator(i.Initiator)
	wrong.Line(i.Key, maxKey, "key")
	return e, wrong.Err()
}

// Compared is an Entity whose records others keep, too: a file of theirs can be compared with what
// is held, and be accepted as evidence.
type Compared interface {
	// Comparison returns what a comparison with one file knows.
	Comparison() bulk.Comparison
}

// Completeness says about whom a file says everything.
type Completeness string

// The degrees.
const (
	OfNobody Completeness = "NOBODY"
	OfNamed  Completeness = "NAMED_AGENTS"
	OfAll    Completeness = "ALL_AGENTS"
)

// Degrees are all degrees of completeness.
var Degrees = enum.Of(OfNobody, OfNamed, OfAll)

// Compare says that a file is what a source says, to be compared with what is held.
type Compare struct {
	// Source is who says it, such as NIPR; empty for an import that compares nothing.
	Source string
	// On is the day of the report; today by default.
	On date.Date
	// IsWhole says about whom the file says everything, so that what it does not have is no longer
	// good from On on.
	IsWhole Completeness
}

// Difference is what differs between a file and what is held.
type Difference string

// The differences.
const (
	MissingHere  Difference = "MISSING_HERE"
	MissingThere Difference = "MISSING_THERE"
	OtherStatus  Difference = "OTHER_STATUS"
	OtherDays    Difference = "OTHER_DAYS"
	OtherDetails Difference = "OTHER_DETAILS"
)
