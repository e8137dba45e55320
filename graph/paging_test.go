package graph_test

import (
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

// lists are the connections that a cursor of each is tried on.
var lists = []string{"agents", "certifications", "certificationPeriods", "payStatusPeriods", "uplinePeriods", "levelPeriods", "uplineMembers", "downlineMembers", "aliases", "tagAssignments"}

func pageOf(list string) string {
	return `query($first: Int, $after: String, $last: Int, $before: String, $offset: Int) { list: ` + list +
		`(first: $first, after: $after, last: $last, before: $before, offset: $offset) { edges { cursor }
			pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount } }`
}

// Cursors lead through a list forwards and backwards, and to the same rows as
// offsets do.
func TestCursors(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 12)
		labels(t, w, apptest.Acme)
		c := w.As(apptest.Acme)
		for _, name := range lists {
			query := pageOf(name)
			var forwards, backwards, byOffset []any
			args := object{"first": 7}
			for more := any(true); more == true; {
				data := c.Query(t, query, args)
				equal(t, name+": hasPreviousPage", apptest.At(data, "list.pageInfo.hasPreviousPage"), len(forwards) > 0)
				forwards = append(forwards, apptest.Each(data, "list.edges", "cursor")...)
				more = apptest.At(data, "list.pageInfo.hasNextPage")
				args["after"] = apptest.At(data, "list.pageInfo.endCursor")
			}
			args = object{"last": 7}
			for more := any(true); more == true; {
				data := c.Query(t, query, args)
				equal(t, name+": hasNextPage", apptest.At(data, "list.pageInfo.hasNextPage"), len(backwards) > 0)
				backwards = append(apptest.Each(data, "list.edges", "cursor"), backwards...)
				more = apptest.At(data, "list.pageInfo.hasPreviousPage")
				args["before"] = apptest.At(data, "list.pageInfo.startCursor")
			}
			for more := any(true); more == true; {
				data := c.Query(t, query, object{"first": 7, "offset": len(byOffset)})
				byOffset = append(byOffset, apptest.Each(data, "list.edges", "cursor")...)
				more = apptest.At(data, "list.pageInfo.hasNextPage")
				equal(t, name+": totalCount", apptest.At(data, "list.totalCount"), number(itoa(len(forwards))))
			}
			equal(t, name+": backwards", backwards, forwards)
			equal(t, name+": by offset", byOffset, forwards)
			equal(t, name+": rows", len(forwards) > 7, true)
			equal(t, name+": between two cursors", apptest.Each(c.Query(t, query, object{"first": 50, "after": forwards[1], "before": forwards[5]}), "list.edges", "cursor"), forwards[2:5])
		}
	})
}

// A cursor is good for the list, the order and the tenant that made it.
func TestForeignCursor(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 12)
		w.LoadDemo(t, apptest.Umbra, 12)
		labels(t, w, apptest.Acme)
		labels(t, w, apptest.Umbra)
		c := w.As(apptest.Acme)
		cursors := map[string]any{}
		for _, name := range lists {
			cursors[name] = apptest.At(c.Query(t, pageOf(name), object{"first": 1}), "list.pageInfo.endCursor")
		}
		refused := func(what, query string, args object) {
			t.Helper()
			_, errs := c.GraphQL(t, query, args)
			if len(errs) != 1 || errs[0].Code() != "BAD_USER_INPUT" || errs[0].Extensions["reason"] != "INVALID_CURSOR" {
				t.Errorf("%s: %+v", what, errs)
			}
		}
		for _, name := range lists {
			for _, other := range lists {
				if other != name {
					refused(other+"'s cursor in "+name, pageOf(name), object{"after": cursors[other]})
				}
			}
			refused("nonsense in "+name, pageOf(name), object{"before": "nonsense"})
			theirs := apptest.At(w.As(apptest.Umbra).Query(t, pageOf(name), object{"first": 1}), "list.pageInfo.endCursor")
			refused("another tenant's cursor in "+name, pageOf(name), object{"after": theirs})
		}
		refused("another order's cursor", `query($after: String) { agents(after: $after, orderBy: [{field: LAST_NAME}]) { totalCount } }`, object{"after": cursors["agents"]})
		refused("the other direction's cursor", `query($after: String) { agents(after: $after, orderBy: [{field: AGENT_CODE, direction: DESC}]) { totalCount } }`, object{"after": cursors["agents"]})
	})
}

// "pageSize above the maximum: 400 with a message of the form Page Size cannot
// exceed <max>; it is never silently truncated" (Errors, 2).
func TestPageArguments(t *testing.T) {
	onEach(t, func(t *testing.T, w *apptest.World) {
		w.LoadDemo(t, apptest.Acme, 60)
		labels(t, w, apptest.Acme)
		c := w.As(apptest.Acme)
		cursor := apptest.At(c.Query(t, pageOf("agents"), object{"first": 1}), "list.pageInfo.endCursor")
		for _, name := range lists {
			rows := apptest.At(c.Query(t, pageOf(name), nil), "list.edges").([]any)
			equal(t, name+": the tenant's page size", len(rows), 50)
			for _, test := range []struct {
				args            object
				reason, message string
			}{
				{object{"first": 101}, "PAGE_SIZE_EXCEEDED", "Page Size cannot exceed 100"},
				{object{"last": 101}, "PAGE_SIZE_EXCEEDED", "Page Size cannot exceed 100"},
				{object{"first": -1}, "OUT_OF_RANGE", "must not be negative"},
				{object{"offset": -1}, "OUT_OF_RANGE", "must not be negative"},
				{object{"first": 1, "last": 1}, "OUT_OF_RANGE", "Give first or last, not both"},
				{object{"last": 1, "offset": 1}, "OUT_OF_RANGE", "offset goes with first only, not with last, after or before"},
			} {
				data, errs := c.GraphQL(t, pageOf(name), test.args)
				if len(errs) != 1 || errs[0].Extensions["reason"] != test.reason || errs[0].Message != test.message || apptest.At(data, "list") != nil {
					t.Errorf("%s %v: %+v", name, test.args, errs)
				}
			}
		}
		for _, args := range []object{{"offset": 1, "after": cursor}, {"offset": 0, "before": cursor}} {
			_, errs := c.GraphQL(t, pageOf("agents"), args)
			equal(t, "offset with a cursor", len(errs), 1)
			equal(t, "offset with a cursor", errs[0].Extensions["reason"], "OUT_OF_RANGE")
		}
		empty := c.Query(t, pageOf("agents"), object{"first": 0})
		equal(t, "no rows", apptest.At(empty, "list.pageInfo"), object{"hasNextPage": true, "hasPreviousPage": false, "startCursor": nil, "endCursor": nil})
	})
}
