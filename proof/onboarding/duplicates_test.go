package onboarding_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/problem"
)

// "409 … when an open application already exists for the same person" (Errors,
// 4): the same government identifier when both have one, else the same e-mail
// address; open are Active, Hold, Complete and Paid.
func TestDuplicates(t *testing.T) {
	with := func(email, identifier string) onboarding.Form {
		f := minimum(email)
		if identifier != "" {
			f.GovernmentIdentifier = &identifier
		}
		return f
	}
	onEach(t, func(t *testing.T, w *world) {
		first := w.create(with("a@example.com", "900-44-1234"))
		mailed := w.create(with("b@example.com", ""))
		for _, test := range []struct {
			what string
			form onboarding.Form
			same bool
		}{
			{"the identifier, written otherwise", with("c@example.com", "900441234"), true},
			{"the e-mail address, where one has no identifier", with("A@Example.com", ""), true},
			{"the e-mail address, where the other has no identifier", with("B@example.com", "900-44-9999"), true},
			{"another identifier with the same e-mail address", with("a@example.com", "900-44-7777"), false},
			{"nothing in common", with("d@example.com", "900-44-8888"), false},
		} {
			a, err := w.Onboarding.Create(w.ctx, test.form)
			if test.same != problem.Has(err, problem.DuplicateApplication) || !test.same && err != nil {
				t.Errorf("%s: %v", test.what, err)
			}
			if test.same && !strings.HasPrefix(problem.From(err)[0].Message, "An application already exists") {
				t.Errorf("%s: %v", test.what, err)
			}
			if a != nil {
				w.setStatus(a.UID, onboarding.Rejected)
			}
		}
		for _, status := range []onboarding.Status{onboarding.Active, onboarding.Hold, onboarding.Complete, onboarding.Paid, onboarding.Rejected} {
			w.setStatus(first.UID, status)
			_, err := w.Onboarding.Create(w.ctx, with("z@example.com", "900-44-1234"))
			if open := status != onboarding.Rejected; open != problem.Has(err, problem.DuplicateApplication) {
				t.Errorf("%s: %v", status, err)
			}
			if status != onboarding.Rejected {
				w.setStatus(mailed.UID, status)
				if _, err := w.Onboarding.Create(w.ctx, with("b@example.com", "")); !problem.Has(err, problem.DuplicateApplication) {
					t.Errorf("%s, by the e-mail address: %v", status, err)
				}
			}
		}
		// A replacement is one too.
		other := w.create(with("other@example.com", ""))
		for _, f := range []onboarding.Form{with("b@example.com", ""), with("other@example.com", "900-44-1234")} {
			if _, _, err := w.Onboarding.Replace(w.ctx, other.UID, f); !problem.Has(err, problem.DuplicateApplication) {
				t.Errorf("replacement: %v", err)
			}
		}
	})
}

// Two creations at once for one person: one is made.
func TestDuplicatesThatRace(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		for round, form := range []func(i int) onboarding.Form{
			func(int) onboarding.Form { return minimum("race@example.com") },
			func(i int) onboarding.Form {
				f := minimum(fmt.Sprintf("race%d@example.com", i))
				f.GovernmentIdentifier = of("900-77-0001")
				return f
			},
		} {
			var (
				wait sync.WaitGroup
				errs [8]error
			)
			for i := range errs {
				wait.Go(func() { _, errs[i] = w.Onboarding.Create(w.ctx, form(i)) })
			}
			wait.Wait()
			made := 0
			for _, err := range errs {
				switch {
				case err == nil:
					made++
				case !problem.Has(err, problem.DuplicateApplication):
					t.Errorf("round %d: %v", round, err)
				}
			}
			if made != 1 {
				t.Errorf("round %d: %d applications were made", round, made)
			}
		}
	})
}

// Two replacements at once cannot make two people one.
func TestReplacementsThatRace(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		var uids [6]string
		for i := range uids {
			uids[i] = w.create(minimum(fmt.Sprintf("r%d@example.com", i))).UID
		}
		var wait sync.WaitGroup
		for _, uid := range uids {
			wait.Go(func() { _, _, _ = w.Onboarding.Replace(w.ctx, uid, minimum("one@example.com")) })
		}
		wait.Wait()
		if n := w.count("SELECT count(*) FROM onboarding_application WHERE tenant_id = $1 AND email_key = 'one@example.com'"); n != 1 {
			t.Errorf("%d applications have the e-mail address", n)
		}
	})
}
