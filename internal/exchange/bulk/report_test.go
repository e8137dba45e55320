package bulk_test

import (
	"encoding/xml"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/internal/exchange/bulk"
)

// licenceColumns are those that the report of a test is read into.
var licenceColumns = []bulk.Column{
	bulk.Required("agentCode", "").Of(bulk.Agent), bulk.Required("type", ""), bulk.Optional("jurisdiction", ""), bulk.Optional("identifier", "").Of(bulk.Code), bulk.Optional("isResidentCertification", "").Of(bulk.Flag),
	bulk.Optional("status", ""), bulk.Optional("note", ""), bulk.Optional("statusDate", "").Of(bulk.Day), bulk.Optional("issueDate", "").Of(bulk.Day), bulk.Optional("expirationDate", "").Of(bulk.Day),
}

// Reports of random agents, as detail reports and as batches, have a row for each line of authority
// of each licence: active if both are, and from the day of the line, or else of the licence.
func TestReports(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pick := func(what string, of ...string) string { return rapid.SampledFrom(of).Draw(t, what) }
		text := func(s string) string {
			var b strings.Builder
			_ = xml.EscapeText(&b, []byte(s))
			return b.String()
		}
		var detail, batch strings.Builder
		var want []string
		keys := bulk.Keys{}
		for i := range rapid.IntRange(1, 4).Draw(t, "agents") {
			npn, code := fmt.Sprint(1000+i), fmt.Sprint("A", i)
			keys[bulk.Reference{By: bulk.ByNPN, Key: npn}] = bulk.Found{Code: code}
			fmt.Fprintf(&detail, "<PRODUCER><INDIVIDUAL><ENTITY_BIOGRAPHIC><BIOGRAPHIC><ID_SSN>987654321</ID_SSN><NPN>%s</NPN></BIOGRAPHIC><ADDRESSES><STATE name=\"ZZ\"><ADDRESS><ZIP>1</ZIP></ADDRESS></STATE></ADDRESSES></ENTITY_BIOGRAPHIC><PRODUCER_LICENSING><LICENSE_INFORMATION>", npn)
			fmt.Fprintf(&batch, "<SCB_Producer National_Producer_Number=\"%s\">", npn)
			for n := range rapid.IntRange(0, 3).Draw(t, "licences") {
				state, number, active := pick("state", "OH", "FL"), fmt.Sprintf("%d-%d&", i, n), pick("active", "Yes", "No")
				issued, expires := pick("issued", "2021-03-01", "2019-12-31"), pick("expires", "2027-03-31", "2024-02-29")
				resident := pick("resident", "R", "NR")
				american := func(day string) string { return day[5:7] + "/" + day[8:] + "/" + day[:4] }
				fmt.Fprintf(&detail, "<STATE name=\"%s\"><LICENSE><LICENSE_NUM>%s</LICENSE_NUM><RESIDENCY_STATUS>%s</RESIDENCY_STATUS><ACTIVE>%s</ACTIVE><DATE_ISSUE_LICENSE_ORIG>%s</DATE_ISSUE_LICENSE_ORIG><DATE_EXPIRE_LICENSE>%s</DATE_EXPIRE_LICENSE><DETAILS>", state, text(number), resident, active, american(issued), american(expires))
				fmt.Fprintf(&batch, "<License State_Code=\"%s\" License_Number=\"%s\" Resident_Indicator=\"%s\" Active=\"%s\" License_Issue_Date=\"%s\" License_Expiration_Date=\"%s\">", state, text(number), map[string]string{"R": "Y", "NR": "N"}[resident], active[:1], strings.ReplaceAll(issued, "-", ""), strings.ReplaceAll(expires, "-", ""))
				for range rapid.IntRange(1, 3).Draw(t, "lines") {
					line, status := pick("line", "Life", "A & H"), pick("status", "Active", "Inactive", "Cancelled")
					fmt.Fprintf(&detail, "<DETAIL><LOA>%s</LOA><LOA_CODE>16</LOA_CODE><STATUS>%s</STATUS></DETAIL>", text(line), status)
					fmt.Fprintf(&batch, "<LOA LOA_Name=\"%s\" LOA_Status=\"%s\"/>", text(line), status)
					is := status
					if active == "No" && status == "Active" {
						is = "Inactive"
					}
					want = append(want, strings.Join([]string{code, line, state, number, map[string]string{"R": "true", "NR": "false"}[resident], is, "", "", issued, expires}, "|"))
				}
				detail.WriteString("</DETAILS></LICENSE></STATE>")
				batch.WriteString("</License>")
			}
			detail.WriteString("</LICENSE_INFORMATION></PRODUCER_LICENSING></INDIVIDUAL></PRODUCER>")
			batch.WriteString("</SCB_Producer>")
		}
		for _, file := range []string{"<?xml version=\"1.0\"?>\n<PDB>" + detail.String() + "</PDB>", "<SCB_Report><SCB_Report_Body>" + batch.String() + "</SCB_Report_Body></SCB_Report>"} {
			l, err := bulk.Survey(strings.NewReader(file), bulk.Schema{Entity: "CERTIFICATION", Columns: licenceColumns}, bulk.Mapping{})
			if err != nil {
				t.Fatal(err)
			}
			r, err := l.Reader(keys, false)
			if err != nil {
				t.Fatal(err)
			}
			var have []string
			for {
				row, problems, err := r.Read()
				if err != nil {
					break
				}
				have = append(have, strings.Join(row.Values, "|"))
				if problems != nil {
					t.Fatal(problems)
				}
			}
			if !slices.Equal(have, want) {
				t.Fatalf("%s\nhas %q\nwant %q", file, have, want)
			}
		}
	})
}
