// Package bulk reads files of rows and says what became of each row.
package bulk

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/problem"
)

// Column is a column that a file of an entity may have.
type Column struct {
	Name      string // the API's property name; nested ones with dots, "homeAddress.city"
	Required  bool   // for a row that creates, which its Entity enforces; here for docs/import.md
	Sensitive bool   // nobody is to see its values, for docs/import.md: values of no column reach an error, a log or a rejects file
	Doc       string // for docs/import.md
	// Default is what a new record gets that a file does not give it, where that is a choice;
	// for people.
	Default string
	// Kind says what its values are, and List which words they are of.
	Kind Kind
	List string
	// For is the column that a Key, or another, stands for, and By how.
	For string
	By  KeyBy
}

// ChangesFrom is the column for the day on which what differs of an agent changes. It has no
// other names: what files call effective is often the start of a contract.
const ChangesFrom = "changesFrom"

// Row is a row of a file. Values has a text for each of the entity's Columns, in their
// order; Given says which of them the file gave. An empty CSV cell is not given; a JSON
// null is given and empty.
type Row struct {
	Number int // the line in the file, from 1
	Values []string
	Given  []bool
	// Outside is true for a row that refers to something which is not in the file and so
	// has to exist already.
	Outside bool
	// Again is true for a row whose key an earlier row of the file has.
	Again bool
	// Remarks are what is to be told of a row that is not refused.
	Remarks []string
	// Read is what the file has in the row, by the Extended columns, if the Reader keeps that; also of
	// a row that is refused.
	Read []string
}

func newRow(number, columns int) *Row {
	return &Row{Number: number, Values: make([]string, columns), Given: make([]bool, columns)}
}

// Outcome is what became of a row.
type Outcome string

// The outcomes.
const (
	Created   Outcome = "CREATED"
	Updated   Outcome = "UPDATED"
	Unchanged Outcome = "UNCHANGED"
	Rejected  Outcome = "REJECTED"
)

// Result is what became of a row; Problems when it was rejected.
type Result struct {
	Number int
	Key    string // the row's natural key, such as the agent code; never sensitive
	// Paths lead to what the row is about within the object of the trail that has its key, such
	// as certifications.12; none for a row that is about the whole object.
	Paths    []string
	Outcome  Outcome
	Problems []*problem.Error
	// Remarks are what is to be told of a row that is not rejected.
	Remarks []string
	// Notes are what is to be told of this row alone, in a check.
	Notes []string
	// Said is what is wrong in the words of the file, for each of the Problems. As Cells, it is for
	// who sent the file.
	Said []string
	// Cells are what the file has in a row that is rejected. They are for who sent the file,
	// and are kept nowhere.
	Cells []string
	// Read is Row.Read of a row that is rejected.
	Read []string
}

// Comparison knows what the rows of a file are about.
type Comparison interface {
	// Note notes a row of the file.
	Note(row Row)
	// Missing calls f for each record that is good on a day, is of what the rows are about, and is
	// named by none of them, with its id and a row that ends it on the day; those of all agents, or
	// of the agents that the rows name.
	Missing(ctx context.Context, on date.Date, ofAll bool, f func(id int64, row Row)) error
}

// Warning is something odd that rows would lead to, and which is not refused.
type Warning struct {
	// About says it of all such rows, Note of one.
	About, Note string
}

// What is warned of.
const (
	BelowInactive = "Agents who are active would be below somebody who is not."
	AboveUpline   = "Levels would be above that of the upline."
)
