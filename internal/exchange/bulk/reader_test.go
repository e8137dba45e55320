package bulk_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/bulk"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

var columns = []bulk.Column{{Name: "agentCode", Required: true}, {Name: "homeAddress.city"}, {Name: "homeAddress.street"}, {Name: "teams.default.level"}}

// read reads a whole file: each row as its number and what it gives, or what is
// wrong with it.
func read(file string, headers ...bulk.Header) ([]string, error) {
	return readMapped(file, bulk.Mapping{Headers: headers})
}

// newReader reads a file whose heads are all understood.
func newReader(file string, m bulk.Mapping) (*bulk.Reader, error) {
	l, err := bulk.Survey(strings.NewReader(file), bulk.Schema{Columns: columns, Today: date.Of(2026, 11, 28)}, m)
	if err != nil {
		return nil, err
	}
	if err := l.Err(); err != nil {
		return nil, err
	}
	return l.Reader(nil, false)
}

func readMapped(file string, m bulk.Mapping) ([]string, error) {
	r, err := newReader(file, m)
	if err != nil {
		return nil, err
	}
	var all []string
	for {
		row, problems, err := r.Read()
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		text := fmt.Sprint(row.Number)
		for _, p := range problems {
			text += fmt.Sprintf(" !%s %s", p.Code, strings.Join(p.Field, "."))
		}
		if problems == nil {
			for i, given := range row.Given {
				if given {
					text += " " + columns[i].Name + "=" + row.Values[i]
				}
			}
		}
		all = append(all, strings.TrimSpace(text))
	}
}

func TestReader(t *testing.T) {
	long := strings.Repeat("x", bulk.MaxRow+10)
	tests := map[string]struct {
		file string
		want []string
	}{
		"csv": {"agentCode,homeAddress.city,teams.default.level\nA1,Boise,10\nA2,,\n",
			[]string{"2 agentCode=A1 homeAddress.city=Boise teams.default.level=10", "3 agentCode=A2"}},
		"byte order mark, other case, other end of line": {"\xEF\xBB\xBFAGENTCODE , HomeAddress.City\r\nA1,Boise\r\n", []string{"2 agentCode=A1 homeAddress.city=Boise"}},
		"semicolons":        {"agentCode;homeAddress.city\nA1;\"Boise; ID\"\n", []string{"2 agentCode=A1 homeAddress.city=Boise; ID"}},
		"one column":        {"agentCode\nA1\n\nA2", []string{"2 agentCode=A1", "4 agentCode=A2"}},
		"lines in a cell":   {"agentCode,homeAddress.city\nA1,\"a\nb\"\nA2,c\n", []string{"2 agentCode=A1 homeAddress.city=a\nb", "4 agentCode=A2 homeAddress.city=c"}},
		"too few cells":     {"agentCode,homeAddress.city\nA1\nA2,b\n", []string{"2 !INVALID_FORMAT", "3 agentCode=A2 homeAddress.city=b"}},
		"quotation marks":   {"agentCode,homeAddress.city\nA\"1,b\nA2,b\n", []string{"2 !INVALID_FORMAT", "3 agentCode=A2 homeAddress.city=b"}},
		"one at the end":    {"agentCode,homeAddress.city\nA1,b\nA2,\"c\n", []string{"2 agentCode=A1 homeAddress.city=b", "3 !INVALID_FORMAT"}},
		"not UTF-8":         {"agentCode,homeAddress.city\nA1,\xff\nA2,\u00e9\n", []string{"2 !INVALID_FORMAT homeAddress.city", "3 agentCode=A2 homeAddress.city=\u00e9"}},
		"of Windows":        {"agentCode,homeAddress.city\nA1,M\xfcnchen\n", []string{"2 agentCode=A1 homeAddress.city=München"}},
		"UTF-16":            {"\xff\xfea\x00g\x00e\x00n\x00t\x00C\x00o\x00d\x00e\x00\n\x00A\x00\xe9\x00", []string{"2 agentCode=Aé"}},
		"separator is said": {"sep=;\r\nagentCode;homeAddress.city\r\nA1;a,b\r\n", []string{"3 agentCode=A1 homeAddress.city=a,b"}},
		"CR alone":          {"agentCode|homeAddress.city\rA1|\"a\rb\"\rA2|c", []string{"2 agentCode=A1 homeAddress.city=a\rb", "3 agentCode=A2 homeAddress.city=c"}},
		"guards":            {"agentCode,homeAddress.city,teams.default.level\n=\"0012\",\"=\"\"034\"\"\",'=1\n", []string{"2 agentCode=0012 homeAddress.city=034 teams.default.level==1"}},
		"title and totals":  {"Roster,,\n,,\nagentCode,homeAddress.city,teams.default.level\nA1,b,10\n,,\nTotal records: 1,,\n", []string{"4 agentCode=A1 homeAddress.city=b teams.default.level=10"}},
		"empty columns":     {"agentCode,,homeAddress.city,\nA1,,b,\n", []string{"2 agentCode=A1 homeAddress.city=b"}},
		"no row":            {"agentCode,homeAddress.city\n", nil},
		"json":              {`{"agentCode":"A1","homeAddress":{"city":"Boise"},"teams":{"default":{"level":10}}}`, []string{"1 agentCode=A1 homeAddress.city=Boise teams.default.level=10"}},
		"json, dotted":      {"\n{\"agentcode\":\"A1\",\"homeAddress.city\":\"Boise\"}\n\n{\"agentCode\":true}", []string{"2 agentCode=A1 homeAddress.city=Boise", "4 agentCode=true"}},
		"json, null":        {`{"agentCode":"A1","homeAddress":null,"teams":{"default":{"level":null}}}`, []string{"1 agentCode=A1 homeAddress.city= homeAddress.street= teams.default.level="}},
		"json, unknown":     {`{"agentCode":"A1","secret":"x","other":{"a":null},"more":null}`, []string{"1 !UNKNOWN_FIELD"}},
		"json, twice":       {`{"agentCode":"A1","AgentCode":"A2"}`, []string{"1 !DUPLICATE_KEY agentCode"}},
		"json, array":       {`{"agentCode":["A1",{"a":[1]}],"homeAddress":{"city":"b"}}` + "\n" + `{"agentCode":"A2"}`, []string{"1 !INVALID_FORMAT agentCode", "2 agentCode=A2"}},
		"json, none":        {"{\"agentCode\":\"A1\"}\nx\n[1]\n{\"agentCode\":\"A2\"", []string{"1 agentCode=A1", "2 !INVALID_FORMAT", "3 !INVALID_FORMAT", "4 !INVALID_FORMAT"}},
		"json, too long":    {"{\"agentCode\":\"" + long + "\"}\n{\"agentCode\":\"A2\"}\n", []string{"1 !TOO_LONG", "2 agentCode=A2"}},
		"json, NUL":         {`{"agentCode":"A\u0000"}`, []string{"1 !INVALID_FORMAT agentCode"}},
		"json, deeply":      {strings.Repeat(`{"a":`, 5000) + "1" + strings.Repeat("}", 5000), []string{"1 !UNKNOWN_FIELD"}},
		"json, large digit": {`{"agentCode":12345678901234567890123}`, []string{"1 agentCode=12345678901234567890123"}},
	}
	for name, test := range tests {
		have, err := read(test.file)
		if err != nil || !slices.Equal(have, test.want) {
			t.Errorf("%s: %q, %v; want %q", name, have, err, test.want)
		}
	}
}

// "header mapping": a header that is called otherwise.
func TestHeaders(t *testing.T) {
	mapped := []bulk.Header{{Name: "Producer Code", Column: "agentCode"}, {Name: "Town", Column: "homeaddress.city"}}
	for _, file := range []string{"producer code,TOWN\nA1,Boise\n", "{\"Producer Code\":\"A1\",\"town\":\"Boise\"}"} {
		have, err := read(file, mapped...)
		if err != nil || len(have) != 1 || !strings.HasSuffix(have[0], "agentCode=A1 homeAddress.city=Boise") {
			t.Errorf("%q: %q, %v", file, have, err)
		}
	}
	if _, err := read("agentCode\n", bulk.Header{Name: "x", Column: "nothing"}); !problem.Has(err, problem.UnknownField) {
		t.Errorf("a header of a column that there is not: %v", err)
	}
	for _, again := range []string{"Town", "TOWN", " town "} {
		if _, err := read("agentCode\n", append(mapped, bulk.Header{Name: again, Column: "agentCode"})...); !problem.Has(err, problem.DuplicateKey) {
			t.Errorf("%q is mapped again: %v", again, err)
		}
	}
}

// Headers that are left out say nothing, in whichever format; values are what the
// mapping makes of them.
func TestMapping(t *testing.T) {
	m := bulk.Mapping{
		Headers: []bulk.Header{{Name: "Producer", Column: "agentCode"}, {Name: "State", Column: "homeAddress.city"}},
		Skip:    []string{"notes", " More.Notes", "homeAddress.street"},
		Values:  []bulk.Value{{Column: "state", From: " TX ", To: "US-TX"}, {Column: "homeAddress.city", From: "N/A", To: ""}, {Column: "teams.default.level", From: "a=b", To: "10"}},
	}
	for _, file := range []string{
		"producer,State,NOTES,more.notes,homeAddress.street,teams.default.level\nA1, TX ,x,y,z,a=b\nA2,N/A,,,,TX\n",
		`{"producer":"A1","State":"TX","notes":{"a":["b"]},"more":{"notes":[1]},"homeAddress":{"street":"z"},"teams":{"default":{"level":"a=b"}}}` + "\n" +
			`{"producer":"A2","State":"N/A","notes":null,"teams":{"default":{"level":"TX"}}}`,
	} {
		have, err := readMapped(file, m)
		if err != nil || len(have) != 2 || !strings.HasSuffix(have[0], " agentCode=A1 homeAddress.city=US-TX teams.default.level=10") || !strings.HasSuffix(have[1], " agentCode=A2 teams.default.level=TX") {
			t.Errorf("%q: %q, %v", file, have, err)
		}
	}
	same := bulk.Mapping{Headers: []bulk.Header{m.Headers[1], m.Headers[0]}, Skip: m.Skip, Values: m.Values}
	if m.String() != same.String() || m.String() == (bulk.Mapping{Headers: m.Headers, Values: m.Values}).String() {
		t.Errorf("%s and %s", m, same)
	}
}

// A value that an export says with the object it is in, payStatus.name, has no object
// where it has no value; and what is left out is so with all below it, in both formats.
func TestMappingOfNestedNames(t *testing.T) {
	m := bulk.Mapping{
		Headers: []bulk.Header{{Name: "agent.code", Column: "agentCode"}, {Name: "agent.home.town", Column: "homeAddress.city"}, {Name: "homeAddress.city.name", Column: "homeAddress.city"}},
		Skip:    []string{"team", "payee.notes", "homeAddress.street", "No"},
	}
	for file, want := range map[string]string{
		`{"agent":{"code":"A1","home":null},"team":{"id":1},"payee":{"notes":{"a":1}}}`: "1 agentCode=A1 homeAddress.city=",
		`{"agent":{"code":"A1"},"homeAddress":null,"team":null,"payee":null}`:           "1 agentCode=A1 homeAddress.city=",
		`{"agent":null}`: "1 agentCode= homeAddress.city=",
		`{"agent.code":"A1","team.id":[1],"payee.notes.a":null,"Team.Lead.Id":2}`:        "1 agentCode=A1",
		`{"agent":{"code":"A1","age":null}}`:                                             "1 !UNKNOWN_FIELD",
		`{"agent":{"code":"A1"},"No. of licences":2}`:                                    "1 !UNKNOWN_FIELD",
		`{"agent":{"code":"A1"},"agentCode":"A2"}`:                                       "1 !DUPLICATE_KEY agentCode",
		"agent.code,team.id,team.lead.id,payee.notes.a,homeAddress.street\nA1,1,2,3,4\n": "2 agentCode=A1",
	} {
		if have, err := readMapped(file, m); err != nil || !slices.Equal(have, []string{want}) {
			t.Errorf("%s: %q, %v; want %q", file, have, err, want)
		}
	}
}

// What is wrong with headers and with the mapping names what it is about.
func TestRefusedMapping(t *testing.T) {
	tests := map[string]struct {
		file string
		m    bulk.Mapping
		code problem.Code
		want string
	}{
		"a header without a column": {"agentCode\n", bulk.Mapping{Headers: []bulk.Header{{Name: "phone", Column: ""}}}, problem.UnknownField, `The header "phone" is mapped to what is no column. Columns are agentCode, homeAddress.city`},
		"mapped twice":              {"agentCode\n", bulk.Mapping{Headers: []bulk.Header{{Name: "A", Column: "agentCode"}, {Name: "a", Column: "agentCode"}}}, problem.DuplicateKey, `"a"`},
		"mapped and skipped":        {"agentCode\n", bulk.Mapping{Headers: []bulk.Header{{Name: "A", Column: "agentCode"}}, Skip: []string{"a"}}, problem.DuplicateKey, `"a"`},
		"skips what is above":       {"agentCode\n", bulk.Mapping{Headers: []bulk.Header{{Name: "a.b.c", Column: "agentCode"}}, Skip: []string{"A"}}, problem.DuplicateKey, `"a.b.c"`},
		"skips nothing":             {"agentCode\n", bulk.Mapping{Skip: []string{" "}}, problem.DuplicateKey, `" "`},
		"a value of no column":      {"agentCode\n", bulk.Mapping{Values: []bulk.Value{{Column: "state", From: "a", To: "b"}}}, problem.UnknownField, `"state"`},
		"a value twice":             {"agentCode\n", bulk.Mapping{Values: []bulk.Value{{Column: "agentCode", From: "a", To: "b"}, {Column: "AGENTCODE", From: "a ", To: "c"}}}, problem.DuplicateKey, "agentCode"},
		"a value of nothing":        {"agentCode\n", bulk.Mapping{Values: []bulk.Value{{Column: "agentCode", To: "b"}}}, problem.DuplicateKey, "agentCode"},
		"headers that are no columns": {"agentCode,Phone No.,2026-01-31,notes\n", bulk.Mapping{}, problem.UnknownField,
			`The headers of the columns 2 ("Phone No."), 3, 4 ("notes") cannot be used`},
		"headers of another system": {"Producer Code,Home City,Stret\n", bulk.Mapping{}, problem.UnknownField,
			`The header of column 3 ("Stret": homeAddress.street?) cannot be used: name it as a column, map it, or skip it`},
		"data with a word of a name": {"Ann,5 Home Rd\n", bulk.Mapping{}, problem.UnknownField, "The headers of the columns 1, 2 cannot be used"},
		"data in place of a header":  {"Ann,Lee\n", bulk.Mapping{}, problem.UnknownField, "The headers of the columns 1, 2 cannot be used"},
		"the same twice":             {"homeAddress.city,x,HOMEADDRESS.CITY\n", bulk.Mapping{Skip: []string{"x"}}, problem.DuplicateKey, "columns 1 and 3 both mean homeAddress.city"},
	}
	for name, test := range tests {
		if _, err := readMapped(test.file, test.m); !problem.Has(err, test.code) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %s with %s", name, err, test.code, test.want)
		}
	}
	if have, err := read(`{"agentCode":"A1","licenceNo":"x","123-45-6789":"x"}`); err != nil || !slices.Equal(have, []string{"1 !UNKNOWN_FIELD"}) {
		t.Errorf("%q, %v", have, err)
	}
}

// A file that is none is refused as a whole, and its text is not repeated: the
// first row of a file without a header is data.
func TestRefusedFiles(t *testing.T) {
	tests := map[string]struct {
		file string
		want problem.Code
	}{
		"empty":            {"", problem.Required},
		"blank":            {"\n \n", problem.Required},
		"no header":        {"123-45-6789,Boise\n", problem.UnknownField},
		"the same twice":   {"agentCode,AGENTCODE\nA1,A2\n", problem.DuplicateKey},
		"no text":          {"agentCode\nA\x00\x00\x00", problem.InvalidFormat},
		"an old workbook":  {"\xd0\xcf\x11\xe0\xa1\xb1", problem.InvalidFormat},
		"a page":           {"<html><table>", problem.InvalidFormat},
		"many columns":     {"agentCode" + strings.Repeat(",", 5000) + "\nA1\n", problem.TooLong},
		"never closed":     {"agentCode,homeAddress.city\nA1,b\nA2,\"" + strings.Repeat("123-45-6789,b\n", 20_000), problem.TooLong},
		"closed too late":  {"agentCode,homeAddress.city\nA1,\"b\nA2,123-45-6789\nA3,\"c\"\nA4,d\n", problem.InvalidFormat},
		"cut off":          {"agentCode,homeAddress.city\nA1,\"b\nA2,123-45-6789\n", problem.InvalidFormat},
		"cut off, short":   {"agentCode,homeAddress.city\nA1,\"b\nA2", problem.InvalidFormat},
		"a long header":    {strings.Repeat("123-45-6789", 20_000), problem.TooLong},
		"a header in JSON": {"\"agentCode\n", problem.InvalidFormat},
	}
	for name, test := range tests {
		_, err := read(test.file)
		if !problem.Has(err, test.want) || strings.Contains(err.Error(), "123-45") {
			t.Errorf("%s: %v, want %s", name, err, test.want)
		}
	}
}

// Whatever the file is: the reader ends, numbers rows in their order, and gives a
// text for each column.
func FuzzReader(f *testing.F) {
	f.Add("agentCode,homeAddress.city\nA1,\"b\nc\"\n")
	f.Add("agentCode;teams.default.level\r\nA1;10\r\n\"")
	f.Add("{\"agentCode\":\"A1\",\"homeAddress\":{\"city\":null}}\n[]\n")
	f.Add("\xEF\xBB\xBF{\"homeAddress\":[{\"a\":1}]}")
	f.Fuzz(func(t *testing.T, file string) {
		r, err := newReader(file, bulk.Mapping{})
		if err != nil {
			if problem.From(err) == nil {
				t.Fatalf("%v", err)
			}
			return
		}
		lines := strings.Count(file, "\n") + strings.Count(file, "\r") + 1
		last := 0
		for {
			row, problems, err := r.Read()
			if errors.Is(err, io.EOF) {
				return
			}
			if err != nil {
				if problem.From(err) == nil {
					t.Fatalf("%v", err)
				}
				return
			}
			if row.Number <= last || row.Number > lines {
				t.Fatalf("row %d after %d of %d lines", row.Number, last, lines)
			}
			last = row.Number
			if problems == nil && (len(row.Values) != len(columns) || len(row.Given) != len(columns)) {
				t.Fatalf("row %d has %d values", row.Number, len(row.Values))
			}
		}
	})
}

var lineEnd = regexp.MustCompile(`\r+\n`)

// What was exported as CSV comes in as it was: the guard against formulas is taken away
// again, and separators, quotes and lines are those of the text. Of the ends of lines
// CSV keeps LF.
func TestExportedTextsComeInAsTheyWere(t *testing.T) {
	piece := rapid.OneOf(rapid.SampledFrom([]string{"=", "+", "-5", "@", "'", "''=1", ";", ",", "\t", "\n", "\r", "\"", " ", "\u200b", "＝", "José", "日本"}), rapid.StringN(0, 5, -1))
	value := rapid.Custom(func(t *rapid.T) string {
		made := strings.Join(rapid.SliceOfN(piece, 0, 6).Draw(t, "pieces"), "")
		return lineEnd.ReplaceAllString(strings.ReplaceAll(made, "\x00", ""), "\n")
	})
	rapid.Check(t, func(t *rapid.T) {
		want := map[string]string{}
		var fields []sheet.Column
		for _, c := range columns {
			fields = append(fields, sheet.Column{Path: []string{c.Name}})
			want[c.Name] = value.Draw(t, c.Name)
		}
		row, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var file strings.Builder
		w, err := sheet.NewCSV(&file, fields) // as REST and the file of rejects have it
		if rapid.Bool().Draw(t, "export") {
			file.Reset()
			w, err = sheet.New(sheet.CSV, &file, fields)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(w.Row(row), w.End()); err != nil {
			t.Fatal(err)
		}
		r, err := newReader(file.String(), bulk.Mapping{})
		if err != nil {
			t.Fatal(err)
		}
		got, problems, err := r.Read()
		if errors.Is(err, io.EOF) && !slices.ContainsFunc(columns, func(c bulk.Column) bool { return text.Trim(want[c.Name]) != "" }) {
			return // a row without a value is none
		}
		if err != nil || problems != nil {
			t.Fatalf("%q: %v %v", file.String(), problems, err)
		}
		for i, c := range columns {
			if blank := text.Trim(want[c.Name]) == ""; got.Given[i] == blank || !blank && got.Values[i] != want[c.Name] {
				t.Fatalf("%q came in as %q, from %q", want[c.Name], got.Values[i], file.String())
			}
		}
	})
}
