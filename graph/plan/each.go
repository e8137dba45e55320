package plan

import "github.com/vektah/gqlparser/v2/ast"

// ByID is a field that a plan writes for each of Run.IDs. The source finds the objects
// with these ids as rows of owners.
func ByID(field Field, from Source) Field {
	return func(c *Compiler, _ *Place, f *ast.Field) Write {
		at := c.rows(from, leadOf...)
		at.set.byID = true
		return field(c, at, f)
	}
}

// Written is what Each has written for an object.
type Written struct {
	JSON     []byte
	IsNull   bool
	Failures []Failure
}

// Each reads what a run of a plan with ByID asks for, and returns what is written for the
// objects that exist, by their ids. An error is one of the server.
func (p *Plan) Each(r *Run) (map[int64]Written, error) {
	if err := p.Read(r); err != nil {
		return nil, err
	}
	defer r.Release()
	if err := r.found[0].refused; err != nil {
		return nil, err
	}
	cells := r.found[0].cells
	objects := make(map[int64]Written, cells.Rows())
	var b []byte
	for row := range cells.Rows() {
		start := len(b)
		b = p.write(b, r, row)
		objects[cells.Int(row, ownerAt)] = Written{b[start:len(b):len(b)], r.null, r.failures}
		r.failures, r.null = nil, false
	}
	return objects, nil
}
