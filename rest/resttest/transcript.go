// Package resttest tests a server of the REST paths with transcripts.
//
// A transcript is a text file of requests and the responses they must get, in
// order, on one server:
//
//	# Lines before the first title are comments.
//
//	=== An agent is registered
//	POST /agency-management/demo/agents
//	Scopes: write:agents
//
//	{ "firstName": "Ana", … }
//
//	--- 201
//	Location: /agency-management/demo/agents/<id:code>
//
//	{ "agentCode": "{{code}}", "createdAt": "<instant>", "...": "..." }
//
// Scopes are those of the request's token; none is written "Scopes: none", and
// without the line the request has no token. "Before: a day passes" does what
// the server's actions have under that name, before the request. A request with
// a body is application/json unless a header says otherwise.
//
// The header lines of the response must be there; others may be. Its body must
// be the same JSON, where a string may hold matchers: <any>, <id>, <text>,
// <instant> and <date>. <id:name> also keeps what it matched, for {{name}} in
// all that follows. An instant of a whole second matches any of that second:
// changes of one record at the same time are a microsecond apart. A body that is
// not JSON is compared line by line. The property "..." lets an object have more properties, the
// last element "..." an array more elements. No body means that there is none.
//
// The transcript _before.txt of a folder runs before each of the others, which
// so begin with what it made and kept.
package resttest

import (
	"fmt"
	"strconv"
	"strings"
)

// exchange is one request and the response it must get.
type exchange struct {
	title    string
	line     int
	request  message
	status   int
	response message
}

// message is a request or a response.
type message struct {
	// start is the request line, or the status of a response.
	start  string
	header [][2]string
	body   string
}

const (
	titleMark  = "=== "
	answerMark = "--- "
)

// parse reads a transcript.
func parse(text string) ([]exchange, error) {
	var exchanges []exchange
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); {
		title, ok := strings.CutPrefix(lines[i], titleMark)
		if !ok {
			if line := strings.TrimSpace(lines[i]); line != "" && !strings.HasPrefix(line, "#") {
				return nil, fmt.Errorf("line %d: text before the first title", i+1)
			}
			i++
			continue
		}
		end := i + 1
		for end < len(lines) && !strings.HasPrefix(lines[end], titleMark) {
			end++
		}
		x, err := parseExchange(lines[i+1 : end])
		if err != nil {
			return nil, fmt.Errorf("line %d, %s: %w", i+1, title, err)
		}
		x.title, x.line = title, i+1
		exchanges = append(exchanges, x)
		i = end
	}
	return exchanges, nil
}

func parseExchange(lines []string) (x exchange, err error) {
	for i, line := range lines {
		status, ok := strings.CutPrefix(line, answerMark)
		if !ok {
			continue
		}
		if x.request, err = parseMessage(lines[:i]); err != nil {
			return x, err
		}
		if x.response, err = parseMessage(append([]string{status}, lines[i+1:]...)); err != nil {
			return x, err
		}
		code, _, _ := strings.Cut(status, " ")
		x.status, err = strconv.Atoi(code)
		return x, err
	}
	return x, fmt.Errorf("no line with %q and the status", answerMark)
}

func parseMessage(lines []string) (m message, err error) {
	for len(lines) > 0 && (strings.HasPrefix(lines[0], "#") || strings.TrimSpace(lines[0]) == "") {
		lines = lines[1:]
	}
	if len(lines) == 0 {
		return m, fmt.Errorf("the request line is missing")
	}
	m.start, lines = lines[0], lines[1:]
	for ; len(lines) > 0 && strings.TrimSpace(lines[0]) != ""; lines = lines[1:] {
		name, value, ok := strings.Cut(lines[0], ":")
		if !ok {
			return m, fmt.Errorf("%q is not a header line", lines[0])
		}
		m.header = append(m.header, [2]string{strings.TrimSpace(name), strings.TrimSpace(value)})
	}
	m.body = strings.TrimSpace(strings.Join(lines, "\n"))
	return m, nil
}
