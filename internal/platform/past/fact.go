// Package past answers from rows what was true of an object: before a change, with it, and now.
// The audit trail says who changed which object when, and why; the rows say what. A change is
// an object and an instant: each write gives what it changes an instant of its own.
//
// Areas say which facts their objects have, and how these are stored (Kind, Fact). The package
// reads them, compares them, finds who set a value (Explain), and takes changes back (Undo):
// what a change did is undone as git revert does it, cell by cell, and written by the area
// below the function of its mutation.
package past

import (
	"slices"
	"strings"

	"github.com/uplinehq/upline/internal/fields"
	"github.com/uplinehq/upline/internal/history"
)

// Kind says how the objects of a type in the audit trail are stored.
type Kind struct {
	// Entity is the type. Label is the field that stands for the whole object, as entries of
	// its making may have it.
	Entity, Label string
	// Table has a row of each object, and Key is its column, or SQL, of the key that the trail
	// knows the object by. Parent, if it is given, limits the rows.
	Table, Key string
	// OfAgents is true if past_row has the agent of each row.
	OfAgents bool
	// Facts are what is true of an object. The first one is about its row.
	Facts []*Fact
	// Say are the lines whose texts are shown in a form of their own, and the function that writes it.
	Say map[string]func(text string) string
	// IsRemade is true if objects that were removed are made again.
	IsRemade bool
	// By takes changes of the objects back; nil if nothing does, and WhyNot says why.
	By     Restorer
	WhyNot string
	// Blocks are tables whose rows would go with an object: one that has any is not removed, since
	// the change did not make them.
	Blocks []Block
}

// Block is a table whose rows refer to an object by a column, and the words for what that means,
// such as "is a user".
type Block struct{ Table, Column, Words string }

// Fact is what one table says of an object. Its cells are the smallest that changes by itself:
// a column, a member of a set, the presence of a part, a day of a dated relation.
type Fact struct {
	// Path is the path of the fact in the trail; empty for the columns of the object itself.
	Path string
	// Table has the rows, and Owner is the column of their object.
	Table, Owner string
	// Row and Part are the columns of the keys of a row in past_row: id and none, if they are
	// empty. Since is the column that says since when a row is there; empty for a table whose
	// rows past_row says it of.
	Row, Part, Since string
	// Kinds are the paths by the values of the column kind, for a table that has a row of each
	// kind.
	Kinds map[string]string
	// Lines are the columns whose values count.
	Lines []fields.Line
	// Members are the columns, or SQL, of a member of the set Path, the one that is shown first.
	Members []string
	// EachRow is true if each row is a part with a path of its own, such as certifications.12.
	EachRow bool
	// Type is the type of a part in the schema, for whose id one can ask.
	Type string
	// IsWhole is true if all lines are one cell, as they change together.
	IsWhole bool
	// Dated is the dated relation whose periods the table has.
	Dated *Dated
	// Takes is the mutation whose scope it takes to set the fact.
	Takes string
}

// Dated says how a dated relation is read.
type Dated struct {
	*history.Relation
	// Value is SQL for the whole value as a text, and Shown for what is shown of it.
	Value, Shown string
	// Say returns what is shown of a value, given Shown; nil for Shown itself.
	Say func(shown, value string) string
	// Join leads from a period x to the object, whose id is Object; Part is SQL for what the
	// path goes on with, and Below what follows that. They are empty for a relation of the
	// object itself.
	Join, Object, Part, Below string
	// Rows are what the values refer to by their ids, and have Lines; nil for a plain value.
	Rows *Fact
}

// at is where a path of the trail leads.
type at struct {
	*Fact
	// line is the column; nil for the whole.
	line *fields.Line
}

// find returns the fact that a path leads to; false if there is none. The object itself is
// its first fact, without a line.
func (k *Kind) find(path string) (to at, ok bool) {
	if path == "" || path == k.Label {
		return at{Fact: k.Facts[0]}, true
	}
	for _, f := range k.Facts {
		if line, ok := f.leads(path); ok {
			return at{f, line}, true
		}
	}
	return to, false
}

// leads reports whether a path leads to the fact, and to which of its lines.
func (f *Fact) leads(path string) (line *fields.Line, ok bool) {
	if f.Kinds != nil {
		for _, prefix := range f.Kinds {
			if line := lineAt(f.Lines, prefix, path); line != nil {
				return line, true
			}
		}
		return nil, false
	}
	rest, isBelow := strings.CutPrefix(path, f.Path+".")
	switch {
	case f.Dated != nil && f.Dated.Below != "": // certifications.12.status
		part, below, _ := strings.Cut(rest, ".")
		return nil, isBelow && part != "" && below == f.Dated.Below
	case f.Dated != nil && f.Dated.Rows != nil && isBelow:
		line = lineAt(f.Dated.Rows.Lines, f.Path, path)
		return line, line != nil
	case f.Dated != nil && f.Dated.Part != "": // rules, or rules.standard
		return nil, path == f.Path || isBelow
	case f.Dated != nil || f.Members != nil:
		return nil, path == f.Path
	case f.EachRow:
		part, below, more := strings.Cut(rest, ".")
		if line = lineAt(f.Lines, "", below); more && line == nil {
			return nil, false
		}
		return line, isBelow && isNumber(part)
	}
	line = lineAt(f.Lines, f.Path, path)
	return line, line != nil
}

// isOfParts reports whether the fact is about parts that have paths of their own.
func (f *Fact) isOfParts() bool { return f.EachRow || f.Dated != nil && f.Dated.Below != "" }

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// lineAt returns the line that lies at a path; nil if none does.
func lineAt(lines []fields.Line, prefix, path string) *fields.Line {
	i := slices.IndexFunc(lines, func(l fields.Line) bool { return below(prefix, l.Path()) == path })
	if i < 0 {
		return nil
	}
	return &lines[i]
}

// below joins paths.
func below(prefix, path string) string {
	if prefix == "" {
		return path
	}
	return prefix + "." + path
}

// Paths are the paths that lead somewhere, with ID for the number of a part.
func (k *Kind) Paths() (all []string) {
	for _, f := range k.Facts {
		prefix := f.Path
		if f.EachRow {
			prefix = below(f.Path, "ID")
			all = append(all, prefix)
		}
		lines := f.Lines
		switch {
		case f.Dated != nil && f.Dated.Below != "":
			all = append(all, below(f.Path, "ID."+f.Dated.Below))
		case f.Dated != nil && f.Dated.Rows != nil:
			all, lines = append(all, f.Path), f.Dated.Rows.Lines
		case f.Dated != nil || f.Members != nil:
			all = append(all, f.Path)
		}
		prefixes := []string{prefix}
		if f.Kinds != nil {
			prefixes = nil
			for _, p := range f.Kinds {
				prefixes = append(prefixes, p)
			}
		}
		for _, p := range prefixes {
			for _, l := range lines {
				all = append(all, below(p, l.Path()))
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// NameOf is SQL for the name of a row of a kept table, given its id: of one that was removed too.
func NameOf(table, id string) string {
	return "coalesce((SELECT n.name FROM " + table + " n WHERE n.tenant_id = x.tenant_id AND n.id = " + id + ")," +
		" (SELECT n.name FROM " + table + "_past n WHERE n.tenant_id = x.tenant_id AND n.id = " + id + " ORDER BY n.past_until DESC LIMIT 1))"
}
