package scenario

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/uplinehq/upline/internal/agency"
	"github.com/uplinehq/upline/internal/agency/record"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/enum"
	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/platform/version"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Verdict is what a colleague says of a scenario.
type Verdict string

// The verdicts.
const (
	Asked     Verdict = "ASKED"
	Commented Verdict = "COMMENTED"
	Approved  Verdict = "APPROVED"
	Declined  Verdict = "DECLINED"
)

// Verdicts are all verdicts.
var Verdicts = enum.Of(Asked, Commented, Approved, Declined)

// Review is what a user who was asked says of a scenario.
type Review struct {
	UserID   int64
	Username string
	Verdict  Verdict
	// Comment is empty for none.
	Comment string
	// Subject is that of the scenario that was answered; empty for no answer.
	Subject string
}

const (
	// reviewed are the names and the columns of a review, for the JSON functions of both databases.
	reviewed       = "('UserID', v.user_id, 'Username', v.username, 'Verdict', v.verdict, 'Comment', v.comment, 'Subject', v.subject)"
	reviewersField = "reviewers"
)

// Subject tells what a scenario would do from what another would.
func (s *Scenario) Subject() string {
	moves, _ := json.Marshal(s.Moves) // as they were read from JSON
	sum := sha256.Sum256([]byte(s.EffectiveFrom.String() + string(moves)))
	return hex.EncodeToString(sum[:])
}

// asked are the reviews of those who are asked now: an answer stays.
func asked(reviews []Review, names []string) []Review {
	all := make([]Review, len(names))
	for i, name := range names {
		all[i] = Review{Username: name, Verdict: Asked}
		if at := slices.IndexFunc(reviews, func(r Review) bool { return r.Username == name }); at >= 0 {
			all[i] = reviews[at]
		}
	}
	return all
}

// storeReviews writes the reviews of a scenario. Who is asked now is looked up by name.
func (s *Scenario) storeReviews(ctx context.Context, w *change.Writing) error {
	if _, err := w.Exec(ctx, "DELETE FROM agency_scenario_review WHERE tenant_id = $1 AND scenario_id = $2", w.Tenant.ID, s.ID); err != nil {
		return err
	}
	var refused problem.List
	for i, r := range s.Reviews {
		if r.UserID == 0 {
			ids, err := store.Collect(ctx, w, store.ScanOne[int64], "SELECT id FROM identity_user WHERE tenant_id = $1 AND username = $2", w.Tenant.ID, r.Username)
			if err != nil {
				return err
			}
			if len(ids) == 0 {
				refused.Add(problem.Invalid(problem.NotFoundCode, "No user has this name", reviewersField, strconv.Itoa(i)))
				continue
			}
			r.UserID = ids[0]
		}
		if _, err := w.Exec(ctx, "INSERT INTO agency_scenario_review (tenant_id, scenario_id, user_id, username, verdict, comment, subject) VALUES ($1, $2, $3, $4, $5, $6, $7)",
			w.Tenant.ID, s.ID, r.UserID, r.Username, r.Verdict, r.Comment, r.Subject); err != nil {
			return err
		}
	}
	return refused.Err()
}

// reviewsOf are the reviews of the members that are kept.
func reviewsOf(members [][]string) ([]Review, error) {
	all := make([]Review, len(members))
	for i, m := range members {
		id, err := strconv.ParseInt(m[5], 10, 64)
		if err != nil {
			return nil, err
		}
		all[i] = Review{UserID: id, Username: m[1], Verdict: Verdict(m[2]), Comment: m[3], Subject: m[4]}
	}
	return all, nil
}

// Review records what the caller says of a scenario as it read it. It is refused if somebody has
// changed the scenario since, or if the caller is not asked. The scenario itself stays the
// version that it was.
func (s *Service) Review(ctx context.Context, uid string, lastModified time.Time, verdict Verdict, comment *string) (sc *Scenario, changed bool, err error) {
	var c record.Check
	comment = c.Optional(comment, maxDescription, "comment")
	if err := c.Err(); err != nil {
		return nil, false, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	err = s.writer.Write(version.Expect(ctx, []string{version.Of(lastModified)}), caller.Subject, func(ctx context.Context, w *change.Writing) error {
		if sc, err = lock(ctx, w.Tx, uid); err != nil {
			return err
		}
		at := slices.IndexFunc(sc.Reviews, func(r Review) bool { return r.UserID == caller.UserID })
		if at < 0 {
			return problem.Invalid(problem.NotApplicable, "asks you for no review", "id")
		}
		w.StampAfter(sc.LastModified)
		is := Review{UserID: caller.UserID, Username: caller.Subject, Verdict: verdict}
		if comment != nil {
			is.Comment = *comment
		}
		if verdict != Asked {
			is.Subject = sc.Subject()
		}
		if changed = is != sc.Reviews[at]; !changed {
			return nil
		}
		sc.Reviews[at] = is
		w.Record(change.EntryOf(scenarioEntity, []string{sc.UID}, reviewsField))
		return sc.storeReviews(ctx, w)
	})
	return sc, changed, err
}

// Trial is a scenario that is not kept.
func Trial(from date.Date, moves []agency.Move) (*Scenario, error) {
	in := Input{Name: patch.Set("-"), EffectiveFrom: patch.Set(from), Moves: patch.Set(moves)}
	sc := &Scenario{}
	err := in.check()
	if err == nil {
		sc.differs(in)
	}
	return sc, err
}
