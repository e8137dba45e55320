package takeback

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
)

// takeBack takes writes back, and compares with the agency as if they had never been.
func (l *ledger) takeBack(set ...*write) {
	l.Helper()
	slices.SortFunc(set, func(a, b *write) int { return a.at.Compare(b.at) })
	in, also := object{}, []any{}
	for i, w := range set {
		n := json.Number(oneOf(l.r, "number", w.numbers))
		if i == 0 {
			in["sequence"] = n
		} else {
			also = append(also, n)
		}
	}
	if len(also) > 0 {
		in["also"] = also
	}
	w := &write{mutation: "changeUndo", input: in, undone: set}
	l.tried = "\ntried: " + w.String()
	target, inTheWay := l.merge(l.state, set)
	const selection = `undone { entityType entityKey field values` + values + ` } conflicts { sequence entityType entityKey field }`
	rehearsed, errs := l.payload(w.mutation, in, nil, true, selection)
	l.nothing("a dry run of an undo")
	l.w.Clock.Move(time.Second)
	w.at = l.w.Clock.Now()
	payload, errs2 := l.payload(w.mutation, in, nil, false, selection)
	if errs2 != nil {
		l.fault("undo", "errors: %v, of the dry run: %v", errs2, errs)
		l.nothing("an undo that failed")
		return
	}
	if errs != nil {
		l.fault("undo", "the dry run failed, and the run does not: %v", errs)
		rehearsed = payload
	}
	for _, name := range []string{"undone", "conflicts", "userErrors"} {
		if a, b := sorted(apptest.At(rehearsed, name)), sorted(apptest.At(payload, name)); a != b {
			l.fault("undo", "the dry run tells other %s than the run:\n%s\n%s", name, a, b)
		}
	}
	l.search("undone", fmt.Sprint(payload))
	want, on := l.snapshot(target)
	must, may := l.refusals(set, target, inTheWay)
	if apptest.At(payload, "applied") != true {
		l.tally["undo refused"]++
		l.checkRefusal(payload, set, target, inTheWay, may)
		l.nothing("a refused undo")
		return
	}
	l.tally["undo applied"]++
	after := read(l.T, l.c, l.tenant)
	if must != "" {
		l.fault("undo", "it is applied, and has to be refused: %s; it did%s", must, difference(after, l.now))
		on = nil
	} else if d := difference(after, want); d != "" {
		l.fault("undo", "it is not as if it had never been:%s", d)
		on = nil
	}
	if wrong := compare(toldIn(apptest.At(payload, "undone")), l.now, after, true); wrong != nil {
		l.fault("undo", "undone tells otherwise: %s", strings.Join(wrong, "\n  "))
	}
	w.numbers = l.numbersSince(w.at)
	l.keep(w, after, on)
}

func sorted(list any) string {
	var all []string
	for _, one := range list.([]any) {
		encoded, _ := json.Marshal(one)
		all = append(all, string(encoded))
	}
	slices.Sort(all)
	return strings.Join(all, "\n")
}

// canaries are values that nobody is shown who did not ask for them.
var canaries = []string{"523-45-6781", "523-45-6789", "523456781", "523456789", "66699912345", "77700012345", "98-7654399", "987654399", "97-1122334", "971122334", "021000021", "Zebulon Q. Canary", "Tulip-bucket-91", "Basket-violin-47", "Canary header value"}

// tellers are the places where what happened is told to those who did not ask for values.
var tellers = map[string]string{
	"the audit log": `query($after: String) { all: auditLog(first: 90, after: $after) { pageInfo { hasNextPage endCursor } nodes { operation initiator reason subject entityType entityKeys changes { field fingerprint } } } }`,
	"the changes":   `query($after: String) { all: changes(first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes { entityKey field initiator reason values { old new } } } }`,
	"the events":    `query($after: String) { all: events(first: 90, after: $after) { pageInfo { hasNextPage endCursor } nodes { type agentCode initiator body } } }`,
}

// silent searches all that is told of the ledger, and all that was logged, for canaries.
func (l *ledger) silent() {
	l.Helper()
	for where, document := range tellers {
		for after, more := any(nil), true; more; {
			page := apptest.At(l.c.Query(l.T, document, object{"after": after}), "all")
			l.search(where, fmt.Sprint(apptest.At(page, "nodes")))
			l.tally["searched "+where] += len(nodes(page))
			after, more = apptest.At(page, "pageInfo.endCursor"), apptest.At(page, "pageInfo.hasNextPage") == true
		}
	}
	l.search("the log", l.w.Logged())
}

func (l *ledger) search(where, output string) {
	l.Helper()
	for _, value := range canaries {
		if strings.Contains(output, value) {
			l.fault("undo", "%s shows %s", where, value)
		}
	}
}

// refusals says why an undo has to be refused, if it has to be, and the codes with which it may
// be, each with its reason.
func (l *ledger) refusals(set []*write, target state, inTheWay []unit) (must string, may map[string]string) {
	may = map[string]string{}
	if len(inTheWay) > 0 {
		must = fmt.Sprint("in the way are ", cellsIn(inTheWay))
		may["PRECONDITION_FAILED"] = must
		for _, u := range inTheWay {
			if _, has := target[u.owners()[0]]; !has {
				may["NOT_APPLICABLE"], may["UNKNOWN_AGENT"], may["NOT_FOUND"] = must, must, must
			}
		}
	}
	if len(changed(target, l.state)) == 0 {
		must = "all is as before already"
		may["NOT_APPLICABLE"] = must
	}
	for _, w := range set {
		if alone, _ := l.merge(l.state, []*write{w}); len(changed(alone, l.state)) == 0 {
			may["NOT_APPLICABLE"] = fmt.Sprint("all is as before already of ", w.numbers)
		}
		if why := cmp.Or(w.perhapsForGood(), l.goneSince(w)); why != "" {
			may["NOT_APPLICABLE"] = why
		}
	}
	if why := l.forGood(target); why != "" {
		must, may["NOT_APPLICABLE"] = why, why
	}
	for code, why := range l.broken(target) {
		may[code] = why
	}
	for _, u := range changed(l.state, target) { // periods that are superseded name their values for ever
		if _, stays := target[u]; !stays && u.field == "" && slices.Contains([]string{"AgentLevel", "PayStatus"}, u.entity) {
			may["REFERENCE_IN_USE"] = u.String() + " may have been of a period"
		}
	}
	return must, may
}

// cellsIn are the cells of units, each once.
func cellsIn(units []unit) (all []string) {
	for _, u := range units {
		if name := u.String(); !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	slices.Sort(all)
	return all
}

// forGood says what an agency has had, and cannot have again; empty if nothing.
func (l *ledger) forGood(target state) string {
	for _, u := range changed(l.state, target) {
		if _, is := l.state[u]; is || u.field != "" && !isCertification(u.cell) {
			continue
		}
		if slices.Contains([]string{"Agent", "User", "Client", "WebhookSubscription"}, u.entity) {
			return u.String() + " was deleted for good"
		}
	}
	return ""
}

// goneSince says which object that a write changed is not there any more; empty if all are.
func (l *ledger) goneSince(w *write) string {
	for u := range w.changes {
		owner := u.owners()[0]
		if _, is := l.state[owner]; !is {
			return owner.String() + " was deleted since"
		}
	}
	return ""
}

// perhapsForGood says what of a write nothing takes back: what has no deletion, a password.
func (w *write) perhapsForGood() string {
	if len(w.changes) == 0 {
		return "its values are not kept"
	}
	if w.input["password"] != nil {
		return "a password is not kept"
	}
	if w.input["sharedWith"] != nil {
		return "with whom a scenario is shared is not kept"
	}
	for u := range w.changes {
		if _, had := w.was[u]; !had && u.field == "" && slices.Contains([]string{"ProviderCompany", "User", "Client", "WebhookSubscription", "Scenario"}, u.entity) {
			return u.String() + " cannot be deleted"
		}
		if slices.Contains([]string{"Client", "WebhookSubscription"}, u.entity) {
			return u.String() + " is not kept"
		}
	}
	return ""
}

// checkRefusal compares a refusal with what the log knows: a reason that it may have, and
// exactly the later writers of what is in the way.
func (l *ledger) checkRefusal(payload any, set []*write, target state, inTheWay []unit, may map[string]string) {
	l.Helper()
	refused := apptest.At(payload, "userErrors").([]any)
	for _, e := range refused {
		if _, ok := may[text(apptest.At(e, "code"))]; !ok {
			l.fault("undo", "it is refused for no reason: %v, %v; it may be with %v", e, apptest.At(payload, "conflicts"), may)
			return
		}
	}
	if len(refused) == 0 {
		l.fault("undo", "nothing is applied, and nothing refused")
	}
	conflicts := map[string]bool{}
	for _, c := range apptest.At(payload, "conflicts").([]any) {
		conflicts[text(apptest.At(c, "sequence"))] = true
	}
	if len(conflicts) == 0 || l.forGood(target) != "" { // one reason is enough
		return
	}
	named := map[*write]bool{}
	for _, u := range inTheWay {
		last := l.lastWriter(u, set)
		if last == nil {
			continue
		}
		named[last] = true
		if !slices.ContainsFunc(last.numbers, func(n string) bool { return conflicts[n] }) {
			l.fault("undo", "%s was last written by %s, which is not among the conflicts: %v", u, last, apptest.At(payload, "conflicts"))
			return
		}
	}
	for n := range conflicts {
		if !slices.ContainsFunc(l.log, func(w *write) bool { return slices.Contains(w.numbers, n) && l.meets(w, set) }) {
			l.fault("undo", "%s is named as a conflict, and has written nothing of what it is about, or is taken back itself: %v", n, apptest.At(payload, "conflicts"))
			return
		}
	}
}

// lastWriter is the newest write of a unit beside those that are taken back.
func (l *ledger) lastWriter(u unit, set []*write) *write {
	for _, w := range slices.Backward(l.log) {
		if w.changes[u] && !slices.Contains(set, w) {
			return w
		}
	}
	return nil
}

// meets reports whether a write came after one that is taken back, and wrote what that had
// written, or something of what that had made.
func (l *ledger) meets(w *write, set []*write) bool {
	for _, s := range set {
		if w.at.Before(s.at) || slices.Contains(set, w) {
			continue
		}
		for u := range w.changes {
			if s.changes[u] {
				return true
			}
			for _, owner := range u.owners() {
				_, had := s.was[owner]
				if _, has := s.is[owner]; has && !had {
					return true
				}
			}
		}
	}
	return false
}

// broken says which rules an agency breaks, by the codes of their refusals.
func (l *ledger) broken(target state) map[string]string {
	all := map[string]string{}
	s, _ := l.statements.snapshot(target)
	there := map[cell]unit{}
	for u := range target {
		c := u.withoutID()
		if other, ok := there[c]; ok && u.field == "" && u != other {
			all["DUPLICATE_KEY"] = fmt.Sprintf("%s and %s would have one key", u, other)
		} else if u.field == "" {
			there[c] = u
		}
		if c.entity == "Agent" && c.field == "" && s.dated[cell{"Agent", c.key, statuses}] == nil {
			for _, code := range []string{"NOT_APPLICABLE", "REQUIRED", "UNKNOWN_STATUS", "NULL_NOT_ALLOWED"} {
				all[code] = c.key + " would have no pay status"
			}
		}
		phone, part, _ := strings.Cut(c.field, ".")
		if (part == "countryCode" || part == "areaCode") && s.plain[cell{"Agent", c.key, phone + ".phoneNumber"}] == "" {
			for _, code := range []string{"REQUIRED", "NULL_NOT_ALLOWED", "NOT_APPLICABLE"} {
				all[code] = c.key + " would have a part of a number: " + phone
			}
		}
	}
	if c := s.circle(); c != "" {
		all["CIRCULAR_HIERARCHY"] = c
	}
	for _, refusal := range l.dangling(s) {
		all[refusal[0]] = refusal[1]
	}
	return all
}

// circle finds an agent that is above itself on some day.
func (s *snapshot) circle() string {
	for d := range days {
		above := map[string]string{}
		for c, periods := range s.dated {
			if c.field == uplines {
				above[c.key] = valueOn(periods, d)[""]
			}
		}
		for code := range above {
			for steps, at := 0, above[code]; at != ""; steps, at = steps+1, above[at] {
				if at == code || steps > len(above) {
					return code + " would be above itself on " + day(d)
				}
			}
		}
	}
	return ""
}

// refers says which objects a field names, by the end of its path.
var refers = map[string]string{
	"jurisdiction": "Jurisdiction", "providerCompany": "ProviderCompany", "agentCode": "Agent", "tags": "Tag", "roles": "Role", statuses: "PayStatus", levels: "AgentLevel", uplines: "Agent",
	"certificationTypes": "CertificationType", "jurisdictions": "Jurisdiction", "sharedWith": "Role", "minimumLevel": "AgentLevel",
}

// dangling finds what names something that is not there, or not in use any more, and what is
// there twice.
func (l *ledger) dangling(s *snapshot) (all [][2]string) {
	check := func(c cell, field, value string) {
		entity := refers[field]
		if entity == "" || value == "" || entity == "Jurisdiction" && strings.HasPrefix(value, "US-") {
			return
		}
		for one := range strings.SplitSeq(value, ", ") {
			if _, ok := s.plain[cell{entity, one, ""}]; !ok || s.plain[cell{entity, one, "isEnabled"}] == "false" {
				for _, code := range []string{"REFERENCE_IN_USE", "AGENT_HAS_DOWNLINE", "NOT_APPLICABLE", "PRECONDITION_FAILED", "UNKNOWN_AGENT", "UNKNOWN_UPLINE", "UNKNOWN_CERTIFICATION_TYPE", "UNKNOWN_PROVIDER_COMPANY", "UNKNOWN_JURISDICTION", "UNKNOWN_STATUS", "UNKNOWN_LEVEL", "UNKNOWN_TAG", "UNKNOWN_ROLE"} {
					all = append(all, [2]string{code, fmt.Sprintf("%s would name the %s %s", c, entity, one)})
				}
			}
		}
	}
	taken := map[string]cell{}
	for c, v := range s.plain {
		field := strings.TrimPrefix(c.field, "~")
		path := strings.Split(field, ".")
		if path[0] == "certifications" && len(path) == 2 {
			check(c, "certificationTypes", v)
		}
		if path[0] == aliases && c.field != aliases {
			if other, ok := taken[field]; ok {
				all = append(all, [2]string{"DUPLICATE_KEY", fmt.Sprintf("%s would be of %s and %s", field, c.key, other.key)})
			}
			taken[field] = c
		}
		if c.field == "email" && c.entity == "User" {
			if other, ok := taken["email "+v]; ok {
				all = append(all, [2]string{"DUPLICATE_KEY", fmt.Sprintf("%s would be of %s and %s", v, c.key, other.key)})
			}
			taken["email "+v] = c
		}
		if c.entity != "Agent" || c.field != "agentCode" {
			check(c, path[len(path)-1], v)
		}
	}
	for c, periods := range s.dated {
		for _, p := range periods {
			for part, v := range p.parts {
				if part == "" {
					part = c.field
				}
				check(c, part, v)
			}
		}
	}
	for code := range l.wrote() {
		if _, ok := s.plain[cell{"Agent", code, ""}]; !ok {
			all = append(all, [2]string{"NOT_APPLICABLE", code + " has written policies"}, [2]string{"AGENT_HAS_COMMISSIONS", code + " may have been paid"})
		}
	}
	return all
}

// wrote are the agents with policies and payments, and those who recruited somebody.
func (l *ledger) wrote() map[string]bool {
	all := map[string]bool{}
	for _, w := range l.log {
		if strings.HasPrefix(w.mutation, "production") || strings.HasPrefix(w.mutation, "commission") || strings.HasPrefix(w.mutation, "application") {
			all[text(w.input["agentCode"])], all[text(w.input["recruiterAgentCode"])] = true, true
		}
		for _, row := range w.rows {
			if w.input["entity"] == "PRODUCTION_RECORD" || w.input["entity"] == "COMMISSION_PAYMENT" {
				all[text(row["agentCode"])] = true
			}
		}
	}
	return all
}

// numbered are the writes that can be named.
func (l *ledger) numbered() []*write {
	return slices.DeleteFunc(slices.Clone(l.log), func(w *write) bool { return len(w.numbers) == 0 })
}

// someWrites draws writes of the log.
func (l *ledger) someWrites() []*write {
	all := l.numbered()
	var set []*write
	for range rapid.IntRange(1, 3).Draw(l.r, "how many") {
		if w := all[len(all)-1-oneOf(l.r, "which", numbersTo(len(all)))]; !slices.Contains(set, w) {
			set = append(set, w)
		}
	}
	return set
}

func numbersTo(n int) []int {
	all := make([]int, n)
	for i := range all {
		all[i] = i
	}
	return all
}

// backAndForth takes the last write back, that undo, and the write again, and once more.
func (l *ledger) backAndForth() {
	last := l.log[len(l.log)-1]
	l.takeBack(last)
	if undo := l.log[len(l.log)-1]; undo != last {
		l.takeBack(undo)
		l.takeBack(last)
		l.takeBack(last)
	}
}
