package takeback

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/app/apptest"
)

// why is a question about a value, and the write that is the answer: nil for none.
type why struct {
	of      string
	field   string
	day     string
	wrote   *write
	subject string
}

// explained asks why each value is what it is, and compares with the last write of it.
func (l *ledger) explained() {
	l.Helper()
	for some := range slices.Chunk(l.whys(), 15) {
		var b strings.Builder
		b.WriteString("{")
		for i, q := range some {
			on := ""
			if q.day != "" {
				on = fmt.Sprintf(", onDate: %q", q.day)
			}
			fmt.Fprintf(&b, " w%d: explain(of: %q, field: %q%s) { sequence }", i, q.of, q.field, on)
		}
		data, errs := l.c.GraphQL(l.T, b.String()+" }", nil)
		failed := map[string]bool{}
		for _, e := range errs {
			name := fmt.Sprint(append(e.Path, "all of it")[0])
			failed[name] = true
			i, _ := strconv.Atoi(strings.TrimPrefix(name, "w"))
			l.fault("explain", "%s: %s", some[i].subject, e.Message)
		}
		for i, q := range some {
			if failed[fmt.Sprint("w", i)] || failed["all of it"] {
				continue
			}
			got := text(apptest.At(data, fmt.Sprintf("w%d.sequence", i)))
			switch {
			case q.wrote == nil && got != "":
				l.fault("explain", "%s on %q is explained by %s; it was there from the beginning", q.subject, q.day, got)
			case q.wrote != nil && !slices.Contains(q.wrote.numbers, got):
				l.fault("explain", "%s on %q is explained by %q; it was last set by %s", q.subject, q.day, got, q.wrote)
			}
		}
	}
}

// whys are the questions about all values that there are and that were written once.
func (l *ledger) whys() (all []why) {
	for _, c := range cells(l.now, l.now) {
		of, ok := l.now.ids[cell{c.entity, c.key, ""}]
		if !ok || strings.HasPrefix(c.field, "~") || c.entity == "Scenario" || c.entity == "Client" || c.entity == "WebhookSubscription" {
			continue
		}
		w := l.lastPlain(c)
		if c.field == "" {
			continue
		}
		if _, isDated := l.now.dated[c]; !isDated {
			if w != nil {
				all = append(all, why{of, c.field, "", w, c.String()})
			}
			continue
		}
		if strings.HasPrefix(c.field, "rules.") {
			continue
		}
		for part := range partsOf(c, l.now) {
			field := c.field
			if part != "" {
				field += "." + part
			}
			for _, d := range []int{today, today - 5, today + 5} {
				if l.now.on(c, part)[d] != nil {
					all = append(all, why{of, field, day(d), l.lastDated(c, part, d), cell{c.entity, c.key, field}.String()})
				}
			}
		}
	}
	return all
}

func (l *ledger) lastPlain(c cell) *write {
	for _, w := range slices.Backward(l.log) {
		if w.before.plain[c] != w.after.plain[c] {
			return w
		}
	}
	return nil
}

func (l *ledger) lastDated(c cell, part string, d int) *write {
	for _, w := range slices.Backward(l.log) {
		if text1(w.before.on(c, part)[d]) != text1(w.after.on(c, part)[d]) {
			return w
		}
	}
	return nil
}

// asKnown compares what is answered of an earlier instant with what was answered then.
func (l *ledger) asKnown(w *write) {
	l.Helper()
	at := w.at.Add(time.Second / 2)
	want := w.after.known()
	for _, later := range l.log { // what was deleted is gone from every instant
		for c := range want.plain {
			_, had := later.before.plain[c]
			if _, has := later.after.plain[c]; later.at.After(w.at) && had && !has && (c.field == "" || isCertification(c)) {
				want.forget(c)
			}
		}
	}
	if d := difference(readAsKnown(l.T, l.c, at, w.after), want); d != "" {
		l.fault("known", "as known after %s:%s", w, d)
	}
}

func isCertification(c cell) bool {
	return strings.HasPrefix(c.field, "certifications.") && strings.Count(c.field, ".") == 1
}

// forget removes an object with all that belongs to it.
func (s *snapshot) forget(owner cell) {
	for _, c := range cells(s, s) {
		if slices.Contains((unit{c, ""}).owners(), unit{owner, ""}) {
			delete(s.plain, c)
			delete(s.dated, c)
		}
	}
}
