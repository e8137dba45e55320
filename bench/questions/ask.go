package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/vektah/gqlparser/v2"
	"github.com/vektah/gqlparser/v2/ast"
)

// asker asks a server.
type asker struct {
	options
	token   string
	issued  time.Time
	schema  *ast.Schema
	openAPI []path
	client  http.Client
	pids    []string
}

func newAsker(o options) (*asker, error) {
	a := &asker{options: o, client: http.Client{Timeout: 2 * time.Minute}}
	if o.pids != "" {
		a.pids = strings.Split(o.pids, ",")
	}
	return a, a.load()
}

// load reads what can be asked.
func (a *asker) load() error {
	text, err := os.ReadFile(a.options.schema)
	if err != nil {
		return err
	}
	if a.schema, err = gqlparser.LoadSchema(&ast.Source{Name: a.options.schema, Input: string(text)}); err != nil {
		return err
	}
	_, document, err := a.send(http.MethodGet, "/openapi.json", nil)
	if err != nil {
		return err
	}
	a.openAPI, err = pathsOf(document)
	return err
}

// renew fetches a token; one lasts for minutes.
func (a *asker) renew() error {
	if time.Since(a.issued) < 4*time.Minute {
		return nil
	}
	r, err := http.NewRequest(http.MethodPost, a.server+"/oauth2/token", strings.NewReader("grant_type=client_credentials"))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte(a.options.client)))
	answer, err := a.client.Do(r)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var got struct {
		Token string `json:"access_token"`
	}
	err = json.NewDecoder(answer.Body).Decode(&got)
	a.token, a.issued = got.Token, time.Now()
	return err
}

func (a *asker) send(method, path string, body []byte) (*http.Response, []byte, error) {
	if err := a.renew(); err != nil {
		return nil, nil, err
	}
	r, err := http.NewRequest(method, a.server+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	r.Header.Set("Authorization", "Bearer "+a.token)
	if body != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := a.client.Do(r)
	if err != nil {
		return nil, nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	return answer, text, err
}

// once sends a question, and says whether it was answered, or why not.
func (a *asker) once(q question) (f figures, err error) {
	method, path, body := http.MethodGet, q.path, []byte(nil)
	if path == "" {
		method, path = http.MethodPost, "/graphql/"+a.tenant
		if body, err = json.Marshal(map[string]any{"query": q.text}); err != nil {
			return f, err
		}
	}
	used, began := a.used(), time.Now()
	answer, text, err := a.send(method, path, body)
	if err != nil {
		return f, err
	}
	f = figures{Took: time.Since(began), CPU: a.used() - used, Bytes: len(text), Status: "ok"}
	f.Cost, _ = strconv.Atoi(answer.Header.Get("Operation-Cost"))
	var told struct {
		Errors []struct {
			Message    string
			Extensions struct{ Code string }
		}
		Code string
	}
	_ = json.Unmarshal(text, &told) // a list has no errors
	switch {
	case len(told.Errors) > 0:
		f.Status = told.Errors[0].Extensions.Code
	case answer.StatusCode >= 400:
		f.Status = fmt.Sprint(answer.StatusCode, " ", told.Code)
	}
	if f.Status != "ok" && (answer.StatusCode >= 500 || f.Status == "INTERNAL") {
		fmt.Printf("%d %s %.300s\n", answer.StatusCode, q.text, text)
	}
	return f, nil
}

// measure asks a question until it takes no less time, three times at most if it takes long.
func (a *asker) measure(q question) (figures, error) {
	best, err := a.once(q)
	for n := 0; n < 4 && err == nil && best.Status == "ok" && !(n > 0 && best.Took > 300*time.Millisecond); n++ {
		var f figures
		if f, err = a.once(q); f.Status == "ok" {
			best.Took, best.CPU = min(best.Took, f.Took), min(best.CPU, f.CPU)
		}
	}
	return best, err
}

// used is the processor time of the processes that are counted, and of those that they began.
func (a *asker) used() (total time.Duration) {
	for _, pid := range a.pids {
		total += processTime(pid)
		children, _ := os.ReadFile("/proc/" + pid + "/task/" + pid + "/children")
		for child := range strings.FieldsSeq(string(children)) {
			total += processTime(child)
		}
	}
	return total
}

// processTime is that of all threads of a process, which Linux counts in nanoseconds.
func processTime(pid string) (total time.Duration) {
	threads, _ := filepath.Glob("/proc/" + pid + "/task/*/schedstat")
	for _, thread := range threads {
		text, _ := os.ReadFile(thread)
		ran, _, _ := strings.Cut(string(text), " ")
		ns, _ := strconv.ParseInt(ran, 10, 64)
		total += time.Duration(ns)
	}
	return total
}

// query asks for what questions are drawn from; what fails is left out.
func (a *asker) query(document string) map[string]any {
	body, _ := json.Marshal(map[string]any{"query": document})
	_, text, err := a.send(http.MethodPost, "/graphql/"+a.tenant, body)
	var answer struct{ Data map[string]any }
	if err == nil {
		_ = json.Unmarshal(text, &answer)
	}
	return answer.Data
}

// path is one that REST answers with GET, with its parameters.
type path struct {
	path       string
	parameters []parameter
}

type parameter struct {
	Name, In string
	Required bool
	Schema   struct {
		Type, Format string
		Enum         []any
		Items        struct{ Enum []any }
	}
}

func pathsOf(document []byte) (all []path, err error) {
	var d struct {
		Paths map[string]map[string]struct{ Parameters []parameter }
	}
	if err := json.Unmarshal(document, &d); err != nil {
		return nil, err
	}
	for p, methods := range d.Paths {
		if get, ok := methods["get"]; ok {
			all = append(all, path{p, get.Parameters})
		}
	}
	return all, nil
}

// escaped is a path with its parameters filled in.
func escaped(p string, in map[string]string, query url.Values) string {
	for name, value := range in {
		p = strings.ReplaceAll(p, "{"+name+"}", url.PathEscape(value))
	}
	if len(query) > 0 {
		p += "?" + query.Encode()
	}
	return p
}
