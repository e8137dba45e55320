package ledger_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/anishathalye/porcupine"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
)

// strand is one thing of one agent, such as its levels, with all that was asked of it.
type strand struct {
	kind
	agent string
	// first is what it held before the clients began.
	first string

	mu         sync.Mutex
	operations []porcupine.Operation
	// id is that of the certification that was last told of.
	id string
}

// note keeps what was asked and told. What an answer to a change of tags or a certification
// shows is read after the commit, and is what others have made of it meanwhile.
func (s *strand) note(client int, a wish, t told, called, returned int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if id, _, isThere := strings.Cut(t.content, " "); isThere {
		s.id = id
	}
	if t.isRead && a.verb != reads && a.verb != applies {
		shown := told{isRead: true, content: t.content}
		s.operations = append(s.operations, porcupine.Operation{ClientId: client, Input: wish{verb: reads, key: t.trace}, Output: shown, Call: called, Return: returned})
		t.isRead, t.content = false, ""
	}
	s.operations = append(s.operations, porcupine.Operation{ClientId: client, Input: a, Output: t, Call: called, Return: returned})
}

// newestKey is the key that clients use at this time.
func (s *strand) newestKey() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return fmt.Sprintf("%s-%s-%d", s.agent, s.name, len(s.operations)/8)
}

func (s *strand) newestID() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.id
}

func (s *strand) draw(dice *rand.Rand) wish { return s.kind.draw(s, dice) }
func (s *strand) request(a wish) request    { return s.kind.request(s, a) }
func (s *strand) String() string            { return s.name + " of " + s.agent }

// state is what a strand holds, as it is told, and the keys whose requests changed it.
type state struct{ content, keys string }

func (st state) has(key string) bool { return strings.Contains(st.keys, " "+key+" ") }

// step takes what was asked one after the other: it returns false if the answer is not one
// to give in this state.
func (st state) step(a wish, t told) (bool, state) {
	switch {
	case a.verb == reads:
		return t.isUnknown || t.content == st.content && (a.key == "" || st.has(a.key)), st
	case t.isBusy, t.isReplayed:
		return st.has(a.key), st
	case a.key != "" && st.has(a.key): // it must not be carried out again
		return t.isUnknown && (t.changed == nil || !*t.changed), st
	}
	next, changed := st.after(a, t)
	if t.isUnknown && t.changed != nil && !*t.changed && changed { // it was not carried out
		return true, st
	}
	if t.changed != nil && *t.changed != changed || t.isRead && t.content != next.content {
		return false, st
	}
	switch {
	case a.verb != applies:
		next.keys += " " + t.trace + " "
	case a.key != "":
		next.keys += " " + a.key + " "
	}
	return true, next
}

// after applies what was asked, and reports whether it changes anything.
func (st state) after(a wish, t told) (next state, changed bool) {
	next = st
	switch a.verb {
	case applies:
		plan, err := history.Apply(periodsOf(st.content), a.period(), firstDay)
		if err != nil {
			panic(err)
		}
		next.content = periodsText(plan.After)
		return next, plan.Changed()
	case assigns, removes:
		tags := strings.FieldsFunc(st.content, func(r rune) bool { return r == ',' || r == ' ' })
		tags = slices.DeleteFunc(tags, func(tag string) bool { return tag == a.value })
		if a.verb == assigns {
			tags = append(tags, a.value)
			slices.Sort(tags)
		}
		next.content = strings.Join(tags, ", ")
	case upserts:
		id, _, isThere := strings.Cut(st.content, " ")
		if !isThere {
			id = t.id
		}
		next.content = id + " " + a.value
	case registers, renames:
		if (a.verb == registers) == (st.content == "") {
			next.content = a.agent + " " + a.value
		}
	case deletes:
		if strings.HasPrefix(st.content, a.value+" ") {
			next.content = ""
		}
	}
	return next, next.content != st.content
}

const openEnd = "open"

func (a wish) period() history.Period[string] {
	return history.Period[string]{From: a.from, Through: a.through, Value: a.value}
}

func periodText(p history.Period[string]) string {
	through := openEnd
	if p.Through != nil {
		through = p.Through.String()
	}
	return p.Value + " " + p.From.String() + " " + through
}

func periodsText(periods []history.Period[string]) string {
	texts := make([]string, len(periods))
	for i, p := range periods {
		texts[i] = periodText(p)
	}
	return strings.Join(texts, ", ")
}

func periodsOf(text string) (periods []history.Period[string]) {
	for one := range strings.SplitSeq(text, ", ") {
		fields := strings.Fields(one)
		if len(fields) != 3 {
			continue
		}
		p := history.Period[string]{Value: fields[0]}
		p.From, _ = date.Parse(fields[1])
		if fields[2] != openEnd {
			through, _ := date.Parse(fields[2])
			p.Through = &through
		}
		periods = append(periods, p)
	}
	return periods
}

func (s *strand) model() porcupine.Model {
	return porcupine.Model{
		Init: func() any { return state{content: s.first} },
		Step: func(st, input, output any) (bool, any) { return st.(state).step(input.(wish), output.(told)) },
	}
}

// check checks what the clients of the round were told.
func (l *linear) check() {
	l.t.Helper()
	events := l.feeds[0].ofRound(l)
	for _, s := range l.strands {
		operations := s.settled(l, events)
		l.longest = max(l.longest, len(operations))
		s.sameAnswers(l)
		s.inOrderOfFeed(l, operations, events)
		result := porcupine.CheckOperationsTimeout(s.model(), operations, time.Minute)
		if result != porcupine.Ok {
			l.t.Errorf("%v, round %d: %s; it held [%s], and in this order of answers\n%s", s, l.rounds, result, s.first, shortest(s.model(), operations))
		}
	}
	if l.t.Failed() {
		l.t.FailNow()
	}
}

// settled are the operations with what is known in the end. One whose answer was lost was
// made before its event was seen. Without an event it changed nothing, and is left out,
// unless answers to others show that its key was taken.
func (s *strand) settled(l *linear, events map[string]event) (all []porcupine.Operation) {
	made := map[string]bool{} // the requests with these keys
	for _, o := range s.operations {
		if _, has := events[o.Output.(told).trace]; has {
			made[o.Input.(wish).key] = true
		}
	}
	for _, o := range s.operations {
		a, t := o.Input.(wish), o.Output.(told)
		e, has := events[t.trace]
		if has = has && a.verb != reads; a.verb != reads || a.key == "" {
			l.operations++
		}
		t.id = e.id
		switch {
		case t.isBusy:
			l.busy++
		case t.isReplayed:
			l.replayed++
		case t.isUnknown:
			l.unknown++
			if a.verb == reads || !has && (a.key == "" || made[a.key]) {
				continue
			}
			if t.changed, o.Return = &has, math.MaxInt64; has {
				o.Return = l.seenBy(e)
			}
		case t.changed == nil && a.verb != reads:
			t.changed = &has
		}
		if !t.isUnknown && a.verb != reads && has != (t.changed != nil && *t.changed) {
			l.t.Errorf("%v: %v was told %v; it has an event: %t", s, a, t, has)
		}
		o.Output = t
		all = append(all, o)
	}
	return all
}

// sameAnswers holds the answers of requests with one key against each other.
func (s *strand) sameAnswers(l *linear) {
	l.t.Helper()
	answers := map[string]string{}
	for _, o := range s.operations {
		key, t := o.Input.(wish).key, o.Output.(told)
		if t.text == "" {
			continue
		}
		if first, ok := answers[key]; ok && first != t.text {
			l.t.Errorf("two answers to key %s: %s and %s", key, first, t.text)
		}
		answers[key] = t.text
	}
}

// shortest describes the operations up to the first answer that cannot be.
func shortest(m porcupine.Model, operations []porcupine.Operation) string {
	slices.SortFunc(operations, func(a, b porcupine.Operation) int { return int(min(max(a.Return-b.Return, -1), 1)) })
	for n := range operations {
		end, some := operations[n].Return, slices.Clone(operations[:n+1])
		for _, o := range operations[n+1:] {
			if t := o.Output.(told); o.Call < end && o.Input.(wish).verb != reads {
				o.Output, o.Return = told{isUnknown: true, trace: t.trace}, math.MaxInt64
				some = append(some, o)
			}
		}
		if n == len(operations)-1 || porcupine.CheckOperationsTimeout(m, some, time.Minute) != porcupine.Ok {
			var text strings.Builder
			for _, o := range some {
				fmt.Fprintf(&text, "%d..%d client %d: %v -> %v\n", o.Call, o.Return, o.ClientId, o.Input, o.Output)
			}
			return text.String()
		}
	}
	return ""
}
