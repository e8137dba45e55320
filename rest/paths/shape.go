package paths

import (
	"maps"
	"net/http"
)

// Shape says how a record is written, as far as its operation cannot say it.
type Shape struct {
	// Name is that of the record in the OpenAPI document.
	Name string
	// Key is the property that names the record in its path; empty when it has
	// no path of its own.
	Key string
	// Home is the path of the records, below the base of the API; empty if it is the path
	// that creates them.
	Home string
	// Unkept are the properties of the body that not even the fingerprint of a request
	// with an Idempotency-Key may contain.
	Unkept []string
	// Absent properties are left out if they are null; all others are written as null.
	Absent []string
	// Keyed properties are written as a dictionary whose keys are the named field. The
	// value is an object, which becomes the only entry, or a list of objects of two
	// fields, each of which becomes an entry.
	Keyed map[string]string
	// Keys are the keys that a keyed property can have.
	Keys map[string][]string
	// Values is the enum of the values of periods in a preview, which GraphQL has as
	// text; empty if REST has text, too.
	Values string
	// Header adds headers to a list, from its connection.
	Header func(connection []byte, h http.Header) error
	// Headers are the names of what header adds, with their descriptions.
	Headers map[string]string
	// Notes are descriptions of properties for the OpenAPI document, where those of the
	// schema speak only of GraphQL.
	Notes map[string]string
}

// SortForm is how the clauses of the query parameter sort are written: "Agency
// Management sort is a comma-separated list of clauses of the form <field>
// [asc|desc] (default asc …). Identity Management sort is field:direction"
// (specification, Limits).
type SortForm int

// The forms of sort clauses.
const (
	Spaced SortForm = iota
	Colon
)

// SortForms describe the forms of sort clauses.
var SortForms = map[SortForm]struct {
	Pattern, Description string
}{
	Spaced: {"<field> [asc|desc]", "Comma-separated clauses of the form <field> [asc|desc]; asc by default."},
	Colon:  {"<field>:<direction>", "Comma-separated clauses of the form <field>:<direction>, where the direction is asc or desc."},
}

// Dictionary is an input field that REST writes as an object, while GraphQL has a list of
// objects with a key and a value.
type Dictionary struct{ Key, Value string }

// Dictionaries are the dictionaries in request bodies of all areas, by type and field.
var Dictionaries = merged(agencyDictionaries, webhookDictionaries)

func merged(all ...map[string]Dictionary) map[string]Dictionary {
	one := map[string]Dictionary{}
	for _, m := range all {
		maps.Copy(one, m)
	}
	return one
}
