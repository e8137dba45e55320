package bulk

import (
	"cmp"
	"encoding/xml"
	"errors"
	"io"
	"slices"
	"strings"

	"golang.org/x/text/encoding/charmap"

	"github.com/uplinehq/upline/internal/problem"
)

// report is a file of the Producer Database in XML: the detail report of an agent, or a batch of
// many. It is read as if it were a workbook with a sheet of licences and one of appointments.
type report struct{ file io.ReadSeeker }

// isReport reports whether a file begins as such a report does.
func isReport(start string) bool {
	for _, root := range []string{"<PDB", "<SCB_Report", "<CSR_Report"} {
		if i := strings.Index(start, root); i >= 0 && !strings.Contains(start[:i], "<html") {
			return true
		}
	}
	return false
}

// The sheets of a report, and their heads.
var (
	sheetsOfReport = []string{"Licenses", "Appointments"}
	headsOfReport  = map[string][]string{
		"Licenses":     {"NPN", "NAME_LAST", "NAME_FIRST", "STATE", "LICENSE_NUM", "LICENSE_CLASS", "RESIDENCY_STATUS", "LOA", "STATUS", "STATUS_REASON", "STATUS_REASON_DATE", "ISSUE_DATE", "DATE_EXPIRE_LICENSE"},
		"Appointments": {"NPN", "NAME_LAST", "NAME_FIRST", "STATE", "COMPANY_NAME", "COCODE", "STATUS", "TERMINATION_REASON", "STATUS_REASON_DATE"},
	}
)

func (r *report) names() []string { return sheetsOfReport }

// maxProducer bounds what a report says of one agent, in bytes.
const maxProducer = 8 << 20

// open implements sheets.
func (r *report) open(sheet string) (grid, error) {
	if !slices.Contains(sheetsOfReport, sheet) {
		return nil, problem.Invalid(problem.UnknownField, "must be one of "+strings.Join(sheetsOfReport, ", "), "sheet")
	}
	in, err := fromStart(r.file, MaxRow)
	if err != nil {
		return nil, err
	}
	limit := &bounded{in: in, left: maxProducer}
	d := xml.NewDecoder(limit)
	d.CharsetReader = func(label string, in io.Reader) (io.Reader, error) {
		if is := strings.ToLower(label); strings.HasPrefix(is, "iso-8859-1") || strings.HasPrefix(is, "windows-1252") {
			return charmap.Windows1252.NewDecoder().Reader(in), nil
		}
		return nil, errDamagedReport
	}
	return &reportGrid{sheet: sheet, limit: limit, xml: d, rows: [][]string{headsOfReport[sheet]}}, nil
}

var errDamagedReport = whole(problem.InvalidFormat, "The report is damaged, or in an encoding that cannot be read")

// reportGrid reads the rows of a sheet of a report.
type reportGrid struct {
	sheet  string
	limit  *bounded
	xml    *xml.Decoder
	rows   [][]string // that are read, and not given yet
	number int
	agents int
}

// next implements grid.
func (g *reportGrid) next() (record, error) {
	for len(g.rows) == 0 {
		if err := g.read(); err != nil {
			return record{}, err
		}
	}
	g.number++
	row := g.rows[0]
	g.rows = g.rows[1:]
	return record{number: g.number, cells: row}, nil
}

// read reads what the report says of the next agent.
func (g *reportGrid) read() error {
	g.limit.left = maxProducer
	for {
		token, err := g.xml.Token()
		switch {
		case errors.Is(err, io.EOF) && g.agents == 0:
			return whole(problem.Required, "The report is about nobody")
		case errors.Is(err, io.EOF):
			return io.EOF
		case errors.Is(err, errTooLong):
			return whole(problem.TooLong, "The report says more of one agent than can be read")
		case err != nil:
			return errDamagedReport
		}
		e, is := token.(xml.StartElement)
		if !is {
			continue
		}
		switch plainName(e.Name.Local) {
		case "error":
			var n node
			if err := g.xml.DecodeElement(&n, &e); err != nil {
				return errDamagedReport
			}
			return whole(problem.InvalidFormat, "The report says that it failed: "+quote(cmp.Or(n.get("DESCRIPTION"), strings.TrimSpace(n.Text))))
		case "producer", "scbproducer", "csrproducer":
			var n node
			if err := g.xml.DecodeElement(&n, &e); err != nil {
				if errors.Is(err, errTooLong) {
					return whole(problem.TooLong, "The report says more of one agent than can be read")
				}
				return errDamagedReport
			}
			g.agents++
			g.rows = n.rows(g.sheet)
			return nil
		}
	}
}

// node is an element of a report.
type node struct {
	XMLName xml.Name
	Attrs   []xml.Attr `xml:",any,attr"`
	Nodes   []node     `xml:",any"`
	Text    string     `xml:",chardata"`
}

// plainName is a name as names are compared: reports write License_Number and LICENSE_NUM.
func plainName(name string) string { return strings.ToLower(strings.ReplaceAll(name, "_", "")) }

// get returns what an element says under the first of some names that it has, as an element or as an
// attribute.
func (n *node) get(names ...string) string {
	for _, name := range names {
		for _, a := range n.Attrs {
			if plainName(a.Name.Local) == plainName(name) && a.Value != "" {
				return strings.TrimSpace(a.Value)
			}
		}
		for _, e := range n.Nodes {
			if text := strings.TrimSpace(e.Text); plainName(e.XMLName.Local) == plainName(name) && text != "" {
				return text
			}
		}
	}
	return ""
}

// each calls f for each element of some names below one, with the state that it is in.
func (n *node) each(state string, f func(e *node, state string), names ...string) {
	for i := range n.Nodes {
		e, in := &n.Nodes[i], state
		name := plainName(e.XMLName.Local)
		if name == "state" {
			in = e.get("name")
		}
		if slices.Contains(names, name) && (len(e.Nodes) > 0 || len(e.Attrs) > 0) {
			f(e, in)
			continue
		}
		e.each(in, f, names...)
	}
}

// rows returns the rows of a sheet that an agent has.
func (n *node) rows(sheet string) (rows [][]string) {
	agent := []string{n.get("National_Producer_Number", "NIPR_Number", "NPN"), "", ""}
	n.each("", func(e *node, _ string) {
		agent = []string{cmp.Or(agent[0], e.get("NPN")), e.get("NAME_LAST"), e.get("NAME_FIRST")}
	}, "biographic")
	if sheet == "Appointments" {
		return n.appointments(agent)
	}
	n.each("", func(license *node, state string) {
		of := slices.Concat(agent, []string{cmp.Or(license.get("State_Code"), state), license.get("LICENSE_NUM", "License_Number"), license.get("LICENSE_CLASS", "Class"), license.get("RESIDENCY_STATUS", "Resident_Indicator")})
		line := func(loa *node, _ string) {
			rows = append(rows, slices.Concat(of, []string{loa.get("LOA", "LOA_Name"), statusOf(license.get("ACTIVE", "License_Status"), loa.get("STATUS", "LOA_Status")), loa.get("STATUS_REASON"), loa.get("STATUS_REASON_DATE"),
				cmp.Or(loa.get("AUTHORITY_ISSUE_DATE"), license.get("DATE_ISSUE_LICENSE_ORIG", "License_Issue_Date")), license.get("DATE_EXPIRE_LICENSE", "License_Expiration_Date")}))
		}
		before := len(rows)
		if license.each("", line, "detail", "loa"); len(rows) == before { // a licence of which no line is told
			line(&node{}, "")
		}
	}, "license")
	return rows
}

// statusOf returns the status of a line of authority: it is active if its licence is, too.
func statusOf(license, line string) string {
	isActive := slices.Contains([]string{"yes", "y", "active", "true"}, strings.ToLower(license))
	switch {
	case line == "" && isActive:
		return "Active"
	case license != "" && !isActive && (line == "" || strings.EqualFold(line, "Active")):
		return "Inactive"
	}
	return line
}

// appointments returns a row for each company and state: appointed if any of its lines is.
func (n *node) appointments(agent []string) (rows [][]string) {
	at := map[string]int{}
	n.each("", func(e *node, state string) {
		row := slices.Concat(agent, []string{cmp.Or(e.get("State_Code"), state), e.get("COMPANY_NAME"), e.get("COCODE", "Co_Code"), e.get("STATUS", "Appointment_Status"), e.get("TERMINATION_REASON"), e.get("STATUS_REASON_DATE")})
		const stateAt, companyAt, codeAt, status = 3, 4, 5, 6
		key := row[stateAt] + "\x00" + cmp.Or(strings.TrimLeft(row[codeAt], "0"), row[companyAt])
		switch i, again := at[key]; {
		case !again:
			at[key], rows = len(rows), append(rows, row)
		case !strings.EqualFold(rows[i][status], "Appointed"):
			rows[i] = row
		}
	}, "appointment")
	return rows
}
