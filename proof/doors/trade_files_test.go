package doors_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// theAgency is who the files in testdata/trade are about.
const theAgency = `agentCode,firstName,lastName,status,startDate,npn,email,teams.default.level
A1000,Anthony,King,Active,2019-01-01,,anthony.king1@example.org,50
A1001,Bea,Moss,Active,2019-01-01,,,40
A1003,Cy,Moss,Active,2019-01-01,92130179,,40
A1005,Di,Moss,Active,2019-01-01,18273645,,40
A1006,Ed,Moss,Active,2019-01-01,,,40
A1007,Flo,Moss,Active,2019-01-01,,,40
A1009,Gus,Moss,Active,2019-01-01,,,40
BB1605,José,Old,Active,2019-01-01,77,old@example.org,10
BB1606,José,Muñoz,Active,2019-01-01,,jose2@example.org,10
`

// tradeFile is a file of the trade, with what is said of it, and what it has to become.
type tradeFile struct {
	file, entity string
	more         object
	// outcome is that of the import, and remark a part of what is told beside it.
	outcome, remark string
	// refused is a part of the refusals, or of what is wrong with the file.
	refused string
	// of are the agents that are looked at, and become what they are then.
	of, become string
}

var tradeFiles = []tradeFile{
	{file: "florida-licences.csv", entity: "CERTIFICATION", more: object{"skipColumns": []any{"*"}, "constants": constants("jurisdiction", "FL")}, outcome: "5/0/5/0/0 applied true", remark: "several values of type",
		of: "A1003", become: "LIFE US-FL W900001 true ACTIVE 2019-03-14..|VARIABLE US-FL W900001 true ACTIVE 2019-03-14..|HEALTH US-FL W900001 true ACTIVE 2019-03-14.."},
	{file: "florida-licences.csv", entity: "CERTIFICATION", outcome: "5/0/5/0/0 applied true", remark: "The heads are those of: Licences of Florida",
		of: "A1003", become: "LIFE US-FL W900001 true ACTIVE 2019-03-14..|VARIABLE US-FL W900001 true ACTIVE 2019-03-14..|HEALTH US-FL W900001 true ACTIVE 2019-03-14.."},
	{file: "florida-licences.csv", entity: "AGENT", refused: `"License TYCL"`},
	{file: "florida-appointments.csv", entity: "CERTIFICATION", more: object{"values": []any{object{"column": "Appointing Entity Name", "from": "CARDINAL LIFE INSURANCE COMPANY", "to": "CPM"}}},
		outcome: "1/0/1/0/0 applied true", remark: "The heads are those of: Appointments of Florida", of: "A1003", become: "APPOINTMENT US-FL W900001 false ACTIVE 2019-03-20..2027-03-31 EXPIRED 2027-04-01.."},
	{file: "florida-appointments.csv", entity: "CERTIFICATION", more: object{"skipColumns": []any{"*"}, "constants": constants("jurisdiction", "FL", "type", "APPOINTMENT"), "values": []any{
		object{"column": "Appointing Entity Name", "from": "CARDINAL LIFE INSURANCE COMPANY", "to": "CPM"}}}, outcome: "1/0/1/0/0 applied true",
		of: "A1003", become: "APPOINTMENT US-FL W900001 false ACTIVE 2019-03-20..2027-03-31 EXPIRED 2027-04-01.."},
	{file: "guarded.csv", entity: "CERTIFICATION", outcome: "2/0/2/0/0 applied true", of: "A1001", become: "LIFE US-FL 0W900001 true ACTIVE 2019-03-14.."},
	{file: "guarded-and-quoted.csv", entity: "CERTIFICATION", outcome: "1/0/1/0/0 applied true", of: "A1001", become: "EO - 0012345 true ACTIVE 2019-03-14.."},
	{file: "named-months.csv", entity: "CERTIFICATION", outcome: "3/0/3/0/0 applied true", of: "A1003", become: "LIFE US-GA GA77002 true ACTIVE 2021-02-15..2027-02-28"},
	{file: "serial-days.csv", entity: "CERTIFICATION", outcome: "1/0/1/0/0 applied true", remark: "numbers that a spreadsheet keeps for days", of: "A1001", become: "LIFE US-GA GA77001 true ACTIVE 2021-02-15..2027-02-28"},
	{file: "shortened.csv", entity: "AGENT", outcome: "0/1/0/0/0 applied false", refused: "is a number that a spreadsheet has shortened"},
	{file: "titles.csv", entity: "AGENT", outcome: "1/0/1/0/0 applied true", remark: "above the heads"},
	{file: "totals.csv", entity: "AGENT", outcome: "1/0/1/0/0 applied true", remark: "Lines of totals"},
	{file: "writing-numbers.csv", entity: "PRODUCTION_RECORD", more: object{"dateOrder": "MONTH_FIRST"}, outcome: "2/0/2/0/0 applied true"},
	{file: "writing-numbers.csv", entity: "PRODUCTION_RECORD", refused: "begins with the month or with the day"},
	{file: "no-end.csv", entity: "CERTIFICATION", outcome: "6/0/6/0/0 applied true", of: "A1007", become: "LIFE US-GA GA8005 true ACTIVE 2020-01-05.."},
	{file: "cr.csv", entity: "AGENT", outcome: "2/0/2/0/0 applied true"},
	{file: "utf16.txt", entity: "AGENT", outcome: "1/0/1/0/0 applied true", of: "BB1311", become: "José Muñoz"},
	{file: "windows.csv", entity: "AGENT", outcome: "1/0/1/0/0 applied true", of: "BB1311", become: "José Muñoz"},
	{file: "equal-heads.csv", entity: "AGENT", refused: `6 ("Phone (column 6)"`},
	{file: "equal-heads.csv", entity: "AGENT", more: object{"headers": heads("Phone (column 6)", "businessPhone.phoneNumber", "Address (column 8)", "homeAddress.line2")}, outcome: "1/0/1/0/0 applied true", of: "BB1401", become: "Ida Marsh 1 512 5550101 1 512 5550102"},
	{file: "phones.csv", entity: "AGENT", outcome: "3/0/3/0/0 applied true", of: "BB1502", become: "Otto Fallow 1 512 5550150 1 512 5550151 x4455"},
	{file: "phones.csv", entity: "AGENT", outcome: "3/0/3/0/0 applied true", of: "BB1503", become: "Pia Fallow 1 512 5550153 1 512 5550154 x220145"},
	{file: "guam.csv", entity: "AGENT", outcome: "3/0/3/0/0 applied true"},
	{file: "day-first.csv", entity: "CERTIFICATION", outcome: "2/0/2/0/0 applied true", remark: "day first", of: "A1003", become: "LIFE CA-ON ON5002 true ACTIVE 2020-02-03..2027-11-30 EXPIRED 2027-12-01.."},
	{file: "blanks.csv", entity: "AGENT", outcome: "1/0/0/0/1 applied false"},
	{file: "blanks.csv", entity: "AGENT", more: object{"clearsBlanks": true}, outcome: "1/0/0/1/0 applied true"},
	{file: "lines-in-cells.csv", entity: "CERTIFICATION", outcome: "1/0/1/0/0 applied true"},
	{file: "names.csv", entity: "AGENT", outcome: "2/0/2/0/0 applied true", of: "BB2701", become: "WALTER PRINDLE JR"},
	{file: "inactive.csv", entity: "CERTIFICATION", outcome: "3/0/3/0/0 applied true", of: "A1003", become: "LIFE US-UT UT1002 true ACTIVE 2022-07-01..2024-06-30 EXPIRED 2024-07-01.."},
	{file: "inactive.csv", entity: "CERTIFICATION", outcome: "3/0/3/0/0 applied true", remark: "since when", of: "A1005", become: "LIFE US-UT UT1003 true ACTIVE 2022-07-01..2026-06-14 TERMINATED 2026-06-15.."},
	{file: "reports-to.csv", entity: "AGENT", outcome: "3/0/3/0/0 applied true"},
	{file: "two-lines.csv", entity: "CERTIFICATION", more: object{"dateOrder": "MONTH_FIRST"}, outcome: "2/0/2/0/0 applied true", remark: "several values", of: "A1001", become: "LIFE US-OK OK5001 true ACTIVE 2020-01-05..|HEALTH US-OK OK5001 true ACTIVE 2020-01-05.."},
	{file: "roster.csv", entity: "AGENT", more: object{"headers": heads("Agent ID", "agentCode")}, outcome: "0/2/0/0/0 applied false", refused: "from which day on"},
	{file: "roster.csv", entity: "AGENT", more: object{"constants": constants("changesFrom", "2026-08-01")}, outcome: "2/0/0/2/0 applied true"},
	{file: "bars.txt", entity: "AGENT", outcome: "1/0/1/0/0 applied true"},
	{file: "child-first.csv", entity: "AGENT", outcome: "3/0/3/0/0 applied true"},
	{file: "circle.csv", entity: "AGENT", outcome: "0/1/0/0/0 applied false", refused: "CIRCULAR"},
	{file: "eappoint.csv", entity: "CERTIFICATION", more: object{"skipColumns": []any{"*"}, "headers": heads("LICENSE_NUM", "agent.licence"), "dateOrder": "MONTH_FIRST", "constants": constants("jurisdiction", "US-FL", "type", "APPOINTMENT", "providerCompany", "00102")},
		outcome: "1/0/1/0/0 applied true", of: "A1006", become: "LIFE US-FL W900001 true ACTIVE 2019-03-14..|APPOINTMENT US-FL - false ACTIVE 2026-01-05.."},
	{file: "eappoint.csv", entity: "CERTIFICATION", more: object{"dateOrder": "MONTH_FIRST", "constants": constants("providerCompany", "00102")}, remark: "eAppoint",
		outcome: "1/0/1/0/0 applied true", of: "A1006", become: "LIFE US-FL W900001 true ACTIVE 2019-03-14..|APPOINTMENT US-FL - false ACTIVE 2026-01-05.."},
	{file: "several-keys.csv", refused: `"License Status": status?`},
	{file: "several-keys.csv", more: object{"skipColumns": []any{"License Status"}, "constants": constants("jurisdiction", "OH")}, outcome: "2/0/2/0/0 applied true", remark: "An agent is found by NPN, and by Last Name it is not",
		of: "A1005", become: "LIFE US-OH 887767 false ACTIVE 2018-03-15..2024-03-31 EXPIRED 2024-04-01.."},
	{file: "several-keys.csv", more: object{"skipColumns": []any{"License Status"}, "constants": constants("jurisdiction", "OH")}, outcome: "2/0/2/0/0 applied true", of: "A1003", become: "HEALTH US-OH 887766 false ACTIVE 2018-03-15..2027-03-31 EXPIRED 2027-04-01.."},
	{file: "two-agents.csv", outcome: "0/1/0/0/0 applied false", refused: "NPN is of A1003, and Agent Code of A1005"},
	{file: "carrier-appointments.csv", refused: "The file has no column for type"},
	{file: "carrier-appointments.csv", more: object{"constants": constants("type", "APPOINTMENT")}, outcome: "2/0/2/0/0 applied true", remark: "NAIC CoCode says what another column says",
		of: "A1005", become: "APPOINTMENT US-NC - false ACTIVE 2022-02-20..2026-06-14 TERMINATED 2026-06-15.."},
	{file: "statement.csv", refused: `("Comm %"`},
	{file: "statement.csv", more: object{"skipColumns": []any{"Comm %", "Memo"}}, outcome: "2/0/2/0/0 applied true", remark: "Lines of totals"},
	{file: "ams-roster.csv", outcome: "2/0/2/0/0 applied true", of: "BB9201", become: "Walter Prindle Jr."},
	{file: "roster-by-npn.csv", outcome: "0/1/0/0/0 applied false", refused: "NPN is of no agent here, and for a new one the file has no agentCode"},
	{file: "roster-by-npn.csv", more: object{"errorPolicy": "REJECT_FAILED_ROWS"}, outcome: "1/1/0/1/0 applied true"},
	{file: "roster-by-npn.csv", more: object{"constants": constants("agentCode", "generated")}, outcome: "2/0/1/1/0 applied true", of: "A100001", become: "Una Known"},
	{file: "california.txt", entity: "CERTIFICATION", more: object{"skipColumns": []any{"*"}}, outcome: "0/1/0/0/0 applied false", refused: "jurisdiction"}, // ST is that of the address
	{file: "california.txt", entity: "CERTIFICATION", more: object{"skipColumns": []any{"*"}, "constants": constants("jurisdiction", "CA")}, outcome: "1/0/1/0/0 applied true", of: "A1003", become: "LIFE US-CA 0C12345 false ACTIVE 2018-03-15..2027-03-31 EXPIRED 2027-04-01.."},
	{file: "status-reasons.csv", entity: "CERTIFICATION", more: object{"errorPolicy": "REJECT_FAILED_ROWS"}, outcome: "3/1/3/0/0 applied true", refused: "Active - under review", of: "A1005", become: "LIFE US-GA T4 false ACTIVE 2018-03-15..2024-03-31 EXPIRED 2024-04-01.."},
	{file: "workday.csv", entity: "AGENT", outcome: "1/0/1/0/0 applied true", of: "W400", become: "Robert Known"},
	{file: "terminations.csv", entity: "CERTIFICATION", more: object{"constants": constants("type", "APPOINTMENT"), "headers": heads("NAIC Company Code", "providerCompany"), "skipColumns": []any{"Company"}}, outcome: "2/0/2/0/0 applied true"},
	{file: "serial-and-wrong.csv", entity: "CERTIFICATION", more: object{"errorPolicy": "REJECT_FAILED_ROWS"}, outcome: "2/1/2/0/0 applied true", refused: "soon", of: "A1001", become: "LIFE US-GA GA1 false ACTIVE 2021-02-15..2027-02-28 EXPIRED 2027-03-01.."},
	{file: "payments.csv", entity: "COMMISSION_PAYMENT", outcome: "2/0/2/0/0 applied true", remark: "Commissions that a carrier paid"},
	{file: "mac.csv", outcome: "1/0/1/0/0 applied true", remark: "read as Macintosh", of: "BB1311", become: "José Muñoz"},
	{file: "dos.csv", outcome: "1/0/1/0/0 applied true", remark: "read as IBM Code Page 850", of: "BB1311", become: "José MUÑOZ"},
	{file: "utf32.csv", outcome: "1/0/1/0/0 applied true", of: "BB1311", become: "José Muñoz"},
	{file: "carets.txt", outcome: "1/0/1/0/0 applied true", of: "BB1311", become: "Jose Munoz"},
	{file: "repeated-heads.csv", outcome: "2/0/2/0/0 applied true", remark: "repeat the heads", of: "BB1312", become: "Bo Lee"},
	{file: "noted-heads.csv", outcome: "1/0/1/0/0 applied true", remark: "day first", of: "BB1311", become: "Jose Munoz"},
	{file: "grouped-heads.csv", outcome: "2/0/2/0/0 applied true", of: "A1003", become: "LIFE US-NC N2 false ACTIVE 2020-05-13.."},
	{file: "nipr-detail.xml", outcome: "2/0/2/0/0 applied true", remark: "Licences of a report of NIPR", of: "A1003",
		become: "LIFE US-OH 100200 false ACTIVE 2021-03-15..2027-03-31 EXPIRED 2027-04-01..|HEALTH US-OH 100200 false ACTIVE 2021-03-01..2023-06-29 TERMINATED 2023-06-30.."},
	{file: "nipr-detail.xml", entity: "CERTIFICATION", more: object{"sheet": "Appointments"}, outcome: "1/0/1/0/0 applied true", remark: "Appointments of a report of NIPR", of: "A1003", become: "APPOINTMENT US-OH - false ACTIVE 2021-04-01.."},
	{file: "nipr-batch.xml", outcome: "3/0/3/0/0 applied true", of: "A1005", become: "LIFE US-OH 100201 false ACTIVE 2019-03-01..2024-03-31 EXPIRED 2024-04-01.."},
	{file: "nipr-batch.xml", outcome: "3/0/3/0/0 applied true", of: "A1003", become: "LIFE US-OH 100200 true ACTIVE 2021-03-01..|PROPERTY US-OH 100200 true ACTIVE 2021-03-01.."},
	{file: "nipr-error.xml", entity: "CERTIFICATION", refused: "Invalid NPN"},
	{file: "canada.csv", outcome: "1/0/1/0/0 applied true", remark: "day first", of: "A1001", become: "LIFE CA-ON ON99 false ACTIVE 2020-01-05..2027-12-11 EXPIRED 2027-12-12.."},
}

func constants(pairs ...string) (all []any) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, object{"column": pairs[i], "value": pairs[i+1]})
	}
	return all
}

func heads(pairs ...string) (all []any) {
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, object{"header": pairs[i], "column": pairs[i+1]})
	}
	return all
}

// Files of the trade, in somebody else's layout, become what they say, or are refused with
// what is wrong: each for an agency of its own.
func TestFilesOfTheTrade(t *testing.T) {
	for _, f := range tradeFiles {
		t.Run(f.file, func(t *testing.T) {
			t.Parallel()
			onEach(t, func(t *testing.T, w *apptest.World) { f.test(t, w) })
		})
	}
}

func (f tradeFile) test(t *testing.T, w *apptest.World) {
	c := w.As(apptest.Acme)
	bring(t, c, "AGENT", theAgency, false, nil)
	if f.file == "eappoint.csv" {
		bring(t, c, "CERTIFICATION", "agentCode,type,jurisdiction,identifier,isResidentCertification,effectiveFrom\nA1006,LIFE,US-FL,W900001,true,2019-03-14\n", false, nil)
	}
	if f.entity == "PRODUCTION_RECORD" {
		bring(t, c, "PROVIDER_COMPANY", "code,name\nAMB,Amber Life\n", false, nil)
		for i, code := range []string{"A1001", "A1003"} {
			q := fmt.Sprintf(`mutation { aliasCreate(input: {agentCode: %q, identifier: %q, providerCompany: "AMB"}) { applied userErrors { message } } }`, code, []string{"AMB050303", "AMB059119"}[i])
			if got := c.Query(t, q, nil); !strings.Contains(fmt.Sprint(got), "applied:true") {
				t.Fatal(got)
			}
		}
	}
	c = w.As(apptest.Acme, "read:agents", "write:production", "write:agents")
	text, err := os.ReadFile(filepath.Join("testdata", "trade", f.file))
	if err != nil {
		t.Fatal(err)
	}
	understood := apptest.At(c.Upload(t, `mutation($input: BulkUnderstandInput!) { bulkUnderstand(input: $input) { entity isEntityCertain } }`, object{}, string(text)).Data, "bulkUnderstand")
	if is := apptest.At(understood, "entity"); f.entity == "" {
		f.entity = is.(string)
	} else if is != nil && is != f.entity && f.refused != `"License TYCL"` {
		t.Errorf("taken for %v", understood)
	}
	p := bring(t, c, f.entity, string(text), false, f.more)
	said := fmt.Sprint(p["refusals"], p["userErrors"], p["rows"])
	if f.outcome != "" && outcome(p) != f.outcome || f.outcome == "" && p["applied"] != false {
		t.Fatalf("%s; want %s: %v %v", outcome(p), f.outcome, said, p["rows"])
	}
	if f.refused != "" && !strings.Contains(said, f.refused) {
		t.Errorf("refused with %s; want %s", said, f.refused)
	}
	if told := fmt.Sprint(p["remarks"]); !strings.Contains(told, f.remark) {
		t.Errorf("told %s; want %s", told, f.remark)
	}
	if f.of != "" {
		if is := agentOf(t, c, f.of, f.entity); is != f.become {
			t.Errorf("%s is\n%s; want\n%s", f.of, is, f.become)
		}
	}
}

// agentOf says what an agent is: its certifications, or its name and telephone numbers.
func agentOf(t *testing.T, c *apptest.Caller, code, entity string) string {
	t.Helper()
	a := apptest.At(c.Query(t, fmt.Sprintf(`{ agent(agentCode: %q) { firstName lastName suffix cellPhone { countryCode areaCode phoneNumber } businessPhone { countryCode areaCode phoneNumber }
		certifications(first: 5) { nodes { type { code } jurisdiction { code } identifier isResidentCertification periods(first: 5) { nodes { status effectiveFrom effectiveThrough } } } } } }`, code), nil), "agent").(object)
	text := func(v any) string {
		if v == nil {
			return ""
		}
		return fmt.Sprint(v)
	}
	if entity != "CERTIFICATION" {
		words := []string{text(a["firstName"]), text(a["lastName"]), text(a["suffix"])}
		for _, phone := range []string{"cellPhone", "businessPhone"} {
			if n, ok := a[phone].(object); ok && n != nil {
				words = append(words, text(n["countryCode"]), text(n["areaCode"]), text(n["phoneNumber"]))
			}
		}
		return strings.Join(strings.Fields(strings.Join(words, " ")), " ")
	}
	var all []string
	for _, node := range apptest.At(a, "certifications.nodes").([]any) {
		n := node.(object)
		orDash := func(v any) string {
			if v == nil {
				return "-"
			}
			return fmt.Sprint(v)
		}
		jurisdiction := "-"
		if j, ok := n["jurisdiction"].(object); ok {
			jurisdiction = fmt.Sprint(j["code"])
		}
		one := fmt.Sprint(apptest.At(n, "type.code"), " ", jurisdiction, " ", orDash(n["identifier"]), " ", n["isResidentCertification"])
		for _, period := range apptest.At(n, "periods.nodes").([]any) {
			p := period.(object)
			one += fmt.Sprintf(" %v %v..%s", p["status"], p["effectiveFrom"], text(p["effectiveThrough"]))
		}
		all = append(all, one)
	}
	return strings.Join(all, "|")
}
