package ledger_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// told is what a client was told.
type told struct {
	// isUnknown is true when there was no answer, or a fault of the server: a change was
	// made or not.
	isUnknown bool
	// isBusy is true when another request with the key was said to be in progress.
	isBusy, isReplayed bool
	// changed is whether there was a change; nil when it is not known.
	changed *bool
	// content is what was there afterwards; it is known if isRead is true.
	isRead  bool
	content string
	// text is the answer to a request with a key, trace that of the request, and id that of
	// the certification which it made.
	text, trace, id string
}

func (t told) String() string {
	switch {
	case t.isUnknown && t.changed != nil && *t.changed:
		return "no answer, and an event"
	case t.isUnknown:
		return "no answer"
	case t.isBusy:
		return "in progress"
	case t.isReplayed:
		return "replayed"
	}
	text := "done"
	if t.changed != nil {
		text = map[bool]string{true: "changed", false: "nothing changed"}[*t.changed]
	}
	if t.isRead {
		text += ": [" + t.content + "]"
	}
	return text
}

// understood reads an answer; an error is one that nobody should get.
func understood(a wish, r request, got answer, hungUp bool) (t told, err error) {
	code := got.code()
	isNone := got.status == http.StatusNotFound || code == "NOT_FOUND" || code == "UNKNOWN_AGENT"
	switch {
	case hungUp || got.isLost():
		t.isUnknown = true
		return t, nil
	case got.isBusy():
		t.isBusy = true
		return t, nil
	case a.verb == deletes && isNone, a.verb == registers && code == "AGENT_CODE_IN_USE":
		t.changed = new(false)
		return t, nil
	case isNone && (r.list == "." || strings.HasPrefix(r.list, ".data.result.")): // there is none, or another client deleted it before it was read for the answer
		t.isRead = true
		return t, nil
	case got.status/100 != 2 || code != "":
		return t, errors.New("it should have succeeded")
	}
	t.isReplayed = got.isReplayed
	applied, isTold := apptest.At(got.data, "data.result.applied").(bool)
	switch {
	case isTold:
		t.changed = &applied
	case a.verb == applies:
		t.changed = new(got.status == http.StatusCreated && !t.isReplayed)
	case a.verb == deletes:
		t.changed = new(true)
	}
	if a.key != "" {
		t.text = got.text
	}
	if r.own != nil && r.own(got.data) != periodText(a.period()) {
		return t, errors.New("it shows another period")
	}
	if r.list != "" {
		t.isRead, t.content = true, listed(r, got.data)
	}
	return t, nil
}

// code is that of the error which an answer tells of; empty if it tells of none.
func (a answer) code() string {
	if code, isREST := apptest.At(a.data, "code").(string); isREST {
		return code
	}
	for _, where := range [][2]string{{"data.result.userErrors", "code"}, {"errors", "extensions.code"}} {
		if refused := apptest.Each(a.data, where[0], where[1]); len(refused) > 0 {
			return fmt.Sprint(refused[0])
		}
	}
	return ""
}

// isLost reports whether a server failed: what was asked for was done or not.
func (a answer) isLost() bool {
	return a.status >= http.StatusInternalServerError || slices.Contains([]string{"INTERNAL_SERVER_ERROR", "UNAVAILABLE", "TIMEOUT"}, a.code())
}

// isBusy reports whether another request with the key was made, whose answer is not there
// yet, or lost.
func (a answer) isBusy() bool {
	return slices.Contains([]string{"IDEMPOTENCY_IN_PROGRESS", "IDEMPOTENCY_ANSWER_LOST"}, a.code())
}

// listed is what an answer says is there: one row if the path begins with a dot, or a list.
func listed(r request, data any) string {
	if one, isOne := strings.CutPrefix(r.list, "."); isOne {
		if one != "" {
			data = apptest.At(data, one)
		}
		return r.row(data)
	}
	rows, _ := apptest.At(data, r.list).([]any)
	texts := make([]string, len(rows))
	for i, row := range rows {
		texts[i] = r.row(row)
	}
	return strings.Join(texts, ", ")
}

func asJSON(t *testing.T, value any) string {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// numbersKept is JSON with its numbers as they stand.
func numbersKept(text []byte) (data any) {
	decode := json.NewDecoder(bytes.NewReader(text))
	decode.UseNumber()
	_ = decode.Decode(&data)
	return data
}

// textOr is a value as a text, or what stands for none.
func textOr(value any, none string) string {
	if value == nil {
		return none
	}
	return fmt.Sprint(value)
}
