package doors_test

import (
	"crypto/sha256"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/uplinehq/upline/app/apptest"
)

// wrongValue is what no column takes that has days or words.
const wrongValue = "Zork!"

// keptImports reads imports as they are kept.
const keptImports = `{ bulkImports(first: 1) { totalCount nodes { key entity errorPolicy initiator fileName fileDigest source mapping headers acceptedCount rejectedCount createdCount updatedCount unchangedCount sequence finishedAt
	left { rowNumber key cells said } } } }`

// An import is found again as it was: who, which file, its counts, its mapping. The rows that it left
// out complete the agency, mended in a file of their own that is read by that mapping, or in place; the changes of both imports are
// about just the agents of the file, and taken back they leave nothing.
func TestImportsAreKept(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		round, c := 0, w.As(apptest.Umbra, allScopes...)
		keeper := w.AsUser(t, apptest.Umbra, w.AddUser(t, apptest.Umbra, "max", "", "Manager"))
		ours := w.As(apptest.Acme)
		rapid.Check(t, func(t *rapid.T) {
			round++
			w.Clock.Move(time.Second)
			l := &layout{T: t}
			agents, _ := randomAgency(t, round)
			foreign := foreignAgents(l, agents, false)
			rows := named(agents, agents)
			column := rapid.SampledFrom([]string{"status", "startDate", "birthDate"}).Draw(t, "wrong column")
			wrong := map[string]string{}
			for _, row := range rows {
				if l.yes("wrong") {
					wrong[row["agentCode"]], row[column] = row[column], wrongValue
				}
			}
			file := l.write(foreign, rows)
			more := object{"skipColumns": []any{"*"}, "errorPolicy": "REJECT_FAILED_ROWS", "dateOrder": file.order}
			is := uploaded(t, c, "AGENT", file.bytes, more)
			mustBe(t, "first", outcome(is), fmt.Sprintf("%d/%d/%[1]d/0/0 applied %[3]t", len(rows)-len(wrong), len(wrong), len(rows) > len(wrong)))
			kept := newestImport(t, c)
			digest := sha256.Sum256([]byte(file.bytes))
			for field, want := range map[string]any{"key": is["key"], "entity": "AGENT", "errorPolicy": "REJECT_FAILED_ROWS", "initiator": "hr", "fileName": "rows", "fileDigest": hex.EncodeToString(digest[:]), "source": nil,
				"acceptedCount": is["acceptedCount"], "rejectedCount": is["rejectedCount"], "createdCount": is["createdCount"], "updatedCount": is["updatedCount"], "unchangedCount": is["unchangedCount"]} {
				if fmt.Sprint(kept[field]) != fmt.Sprint(want) {
					t.Fatalf("%s is %v, want %v", field, kept[field], want)
				}
			}
			sayWhichCell(t, is, kept, wrong)
			imports := []object{kept}
			w.Clock.Move(time.Second)
			switch {
			case len(wrong) == 0:
			case l.yes("mended in place"):
				more["cells"] = mendedIn(kept, wrong)
				is := uploaded(t, c, "AGENT", file.bytes, more)
				mustBe(t, "mended in place"+fmt.Sprint(is["rows"], is["userErrors"]), outcome(is), fmt.Sprintf("%d/0/%d/0/%d applied true", len(rows), len(wrong), len(rows)-len(wrong)))
				imports = append(imports, newestImport(t, c))
			default:
				imports = append(imports, mendAndBring(t, c, keeper, kept, wrong))
			}
			w.Clock.Move(time.Second)
			mustBe(t, "in our columns", outcomeOf(t, ours, "AGENT", canonical(slices.Sorted(maps.Keys(agents[0])), agents), nil), fmt.Sprintf("%d/0/%[1]d/0/0 applied true", len(agents)))
			all := fmt.Sprintf(`{ agents(first: 50, filter: {agentCodes: ["R%[1]d-0", "R%[1]d-1", "R%[1]d-2", "R%[1]d-3"]}) { nodes { agentCode firstName lastName npn email startDate birthDate payStatus { name } homeAddress { jurisdiction { code } postalCode } cellPhone { areaCode phoneNumber } membership { level { value } } } } }`, round)
			if have, want := fmt.Sprint(c.Query(t, all, nil)), fmt.Sprint(ours.Query(t, all, nil)); have != want {
				t.Fatalf("mended\n%s\nwhole\n%s", have, want)
			}
			slices.Reverse(imports)
			takeBack(t, w, c, imports, agents)
			if have := fmt.Sprint(c.Query(t, all, nil)); strings.Contains(have, "agentCode") {
				t.Fatalf("taken back, and there is %s", have)
			}
		})
	})
}

func uploaded(t *rapid.T, c *apptest.Caller, entity, file string, more object) object {
	sent := object{"entity": entity, "initiator": "hr"}
	maps.Copy(sent, more)
	r := c.Upload(t, fmt.Sprintf(bringIn, false), sent, file)
	if r.Errors != nil {
		t.Fatalf("%s: %+v", entity, r.Errors)
	}
	return apptest.At(r.Data, "bulkImport").(object)
}

func newestImport(t *rapid.T, c *apptest.Caller) object {
	return apptest.At(c.Query(t, keptImports, nil), "bulkImports.nodes").([]any)[0].(object)
}

// sayWhichCell demands that each wrong row is refused by the cell which is wrong: its head, and to who
// sent the file its value; what is kept has the head, and the value in its cell alone.
func sayWhichCell(t *rapid.T, is, kept object, wrong map[string]string) {
	left := kept["left"].([]any)
	if len(left) != len(wrong) || len(is["rows"].([]any)) != len(wrong) {
		t.Fatalf("%d rows are wrong, kept are %v, told %v", len(wrong), left, is["rows"])
	}
	for i, one := range left {
		row, told := one.(object), is["rows"].([]any)[i].(object)
		cells, heads := row["cells"].([]any), kept["headers"].([]any)
		at := slices.Index(cells, any(wrongValue))
		if at < 0 || fmt.Sprint(row["rowNumber"]) != fmt.Sprint(told["rowNumber"]) {
			t.Fatalf("kept is %v, told %v", row, told)
		}
		head := fmt.Sprint(heads[at])
		if said := fmt.Sprint(told["said"]); !strings.Contains(said, head) || !strings.Contains(said, wrongValue) {
			t.Fatalf("the cell of %s with %s is not named: %s", head, wrongValue, said)
		}
		if said := fmt.Sprint(row["said"]); !strings.Contains(said, head) || strings.Contains(said, wrongValue) {
			t.Fatalf("kept of %s is: %s", head, said)
		}
	}
}

// mendedIn says the right values of the cells that were wrong in an import, by their rows and heads.
func mendedIn(kept object, wrong map[string]string) (cells []any) {
	for _, one := range kept["left"].([]any) {
		row := one.(object)
		values := textsOf(row["cells"])
		for code, right := range wrong {
			if slices.Contains(values, code) {
				cells = append(cells, object{"rowNumber": row["rowNumber"], "column": textsOf(kept["headers"])[slices.Index(values, wrongValue)], "value": right})
			}
		}
	}
	return cells
}

// mendAndBring writes the rows that an import left out as a file, with the right values, and brings
// it in as the mapping of the import reads it, kept under a name.
func mendAndBring(t *rapid.T, c, keeper *apptest.Caller, kept object, wrong map[string]string) object {
	var b strings.Builder
	out := csv.NewWriter(&b)
	_ = out.Write(append(textsOf(kept["headers"]), "What is wrong"))
	for _, one := range kept["left"].([]any) {
		row := one.(object)
		cells := textsOf(row["cells"])
		for code, right := range wrong {
			if slices.Contains(cells, code) {
				cells[slices.Index(cells, wrongValue)] = right
			}
		}
		_ = out.Write(append(cells, strings.Join(textsOf(row["said"]), "; ")))
	}
	out.Flush()
	var content object
	if text, is := kept["mapping"].(string); is {
		if err := json.Unmarshal([]byte(text), &content); err != nil {
			t.Fatal(err)
		}
	} else {
		content = kept["mapping"].(object)
	}
	name := fmt.Sprint("Sender ", kept["key"])
	made := apptest.At(keeper.Query(t, `mutation($in: PresetCreateInput!) { presetCreate(input: $in) { preset { id } userErrors { message } } }`, object{"in": object{"kind": "FILE_MAPPING", "subject": "AGENT", "name": name, "content": content, "isShared": true}}), "presetCreate.preset.id")
	is := uploaded(t, c, "AGENT", b.String(), object{"mapping": name})
	mustBe(t, "mended: "+b.String()+fmt.Sprint(is["rows"], is["userErrors"], content), outcome(is), fmt.Sprintf("%d/0/%[1]d/0/0 applied true", len(wrong)))
	keeper.Query(t, `mutation($id: ID!) { presetDelete(input: {id: $id}) { applied } }`, object{"id": made})
	return newestImport(t, c)
}

func textsOf(list any) (all []string) {
	for _, one := range list.([]any) {
		all = append(all, one.(string))
	}
	return all
}

// takeBack takes imports back, and demands that what they changed was about just some agents.
func takeBack(t *rapid.T, w *apptest.World, c *apptest.Caller, imports []object, agents []map[string]string) {
	var about []string
	for _, one := range imports {
		w.Clock.Move(time.Second)
		if one["sequence"] == nil {
			continue // it left out all of its rows
		}
		of := object{"n": one["sequence"]}
		for _, node := range apptest.At(c.Query(t, `query($n: Long!) { changes(first: 100, filter: {sequence: $n}) { nodes { entityType entityKey } } }`, of), "changes.nodes").([]any) {
			if key := fmt.Sprint(apptest.At(node, "entityKey")); !slices.Contains(about, key) {
				about = append(about, key)
			}
		}
		done := c.Query(t, `mutation($n: Long!) { changeUndo(input: {sequence: $n}) { applied conflicts { entityKey } userErrors { message } } }`, of)
		if apptest.At(done, "changeUndo.applied") != true {
			t.Fatal(done)
		}
	}
	var codes []string
	for _, a := range agents {
		codes = append(codes, a["agentCode"])
	}
	slices.Sort(about)
	slices.Sort(codes)
	if !slices.Equal(about, codes) {
		t.Fatalf("the imports changed %v, and are about %v", about, codes)
	}
}

// Each scope shows the imports of the rows that it may import, and no other shows any.
func TestImportsAreOfTheirScopes(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		c := w.As(apptest.Acme, allScopes...)
		bring(t, c, "AGENT", "agentCode,firstName,lastName,status,startDate\nA1,Ana,Low,Active,2026-01-01\n", false, nil)
		bring(t, c, "COMMISSION_PAYMENT", "agentCode,paidOn,amount\nA1,2026-01-02,5.00\n", false, nil)
		const list = `{ bulkImports(first: 5) { totalCount nodes { entity } } }`
		for scope, want := range map[string]string{"write:agents": "AGENT", "write:production": "COMMISSION_PAYMENT"} {
			if is := fmt.Sprint(w.As(apptest.Acme, scope).Query(t, list, nil)); is != "map[bulkImports:map[nodes:[map[entity:"+want+"]] totalCount:1]]" {
				t.Errorf("%s shows %s", scope, is)
			}
		}
		if _, errs := w.As(apptest.Acme, "read:agents").GraphQL(t, list, nil); len(errs) != 1 || errs[0].Code() != "FORBIDDEN" {
			t.Errorf("without them: %v", errs)
		}
	})
}
