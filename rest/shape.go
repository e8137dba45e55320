package rest

import (
	"maps"
	"net/http"
)

// shape says how a record is written, as far as its operation cannot say it.
type shape struct {
	// name is that of the record in the OpenAPI document.
	name string
	// key is the property that names the record in its path; empty when it has
	// no path of its own.
	key string
	// home is the path of the records, below the base of the API; empty if it is the path
	// that creates them.
	home string
	// unkept are the properties of the body that not even the fingerprint of a request
	// with an Idempotency-Key may contain.
	unkept []string
	// absent properties are left out if they are null; all others are written as null.
	absent []string
	// keyed properties are written as a dictionary whose keys are the named field. The
	// value is an object, which becomes the only entry, or a list of objects of two
	// fields, each of which becomes an entry.
	keyed map[string]string
	// keys are the keys that a keyed property can have.
	keys map[string][]string
	// values is the enum of the values of periods in a preview, which GraphQL has as
	// text; empty if REST has text, too.
	values string
	// header adds headers to a list, from its connection.
	header func(connection []byte, h http.Header) error
	// headers are the names of what header adds, with their descriptions.
	headers map[string]string
	// notes are descriptions of properties for the OpenAPI document, where those of the
	// schema speak only of GraphQL.
	notes map[string]string
}

// sortForm is how the clauses of the query parameter sort are written: "Agency
// Management sort is a comma-separated list of clauses of the form <field>
// [asc|desc] (default asc …). Identity Management sort is field:direction"
// (specification, Limits).
type sortForm int

const (
	spaced sortForm = iota
	colon
)

// sortForms describe the forms of sort clauses.
var sortForms = map[sortForm]struct {
	pattern, description string
}{
	spaced: {"<field> [asc|desc]", "Comma-separated clauses of the form <field> [asc|desc]; asc by default."},
	colon:  {"<field>:<direction>", "Comma-separated clauses of the form <field>:<direction>, where the direction is asc or desc."},
}

// dictionary is an input field that REST writes as an object, while GraphQL has a list of
// objects with a key and a value.
type dictionary struct{ key, value string }

// dictionaries are the dictionaries in request bodies of all areas, by type and field.
var dictionaries = merged(agencyDictionaries, webhookDictionaries)

func merged(all ...map[string]dictionary) map[string]dictionary {
	one := map[string]dictionary{}
	for _, m := range all {
		maps.Copy(one, m)
	}
	return one
}
