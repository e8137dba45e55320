package rest

import (
	"fmt"
	"net/http"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"

	"github.com/uplinehq/upline/rest/paths"
)

// unreadableHeader names the properties of an answer whose stored values cannot be shown.
// They are null in JSON and empty in CSV; everything else is there.
const unreadableHeader = "Unreadable-Fields"

// mostUnreadable bounds the number of names in the header; +3 after them says that there
// are three more.
const mostUnreadable = 50

// nameUnreadable adds the header, from the errors of a response.
func (e *shape) nameUnreadable(header http.Header, errs gqlerror.List, q request) {
	var names []string
	for _, err := range errs {
		if name, ok := e.propertyAt(err.Path, q); ok {
			names = append(names, name)
		}
	}
	if more := len(names) - mostUnreadable; more > 0 {
		names = append(names[:mostUnreadable], fmt.Sprintf("+%d", more))
	}
	if len(names) > 0 {
		header.Set(unreadableHeader, strings.Join(names, ", "))
	}
}

// propertyAt turns the path of a field into that of a property: "items.0.status". ok is
// false for a field that the answer does not show.
func (e *shape) propertyAt(path ast.Path, q request) (name string, ok bool) {
	if len(path) < 2 {
		return "", false
	}
	path = path[1:] // the field of the operation
	var steps []string
	switch {
	case q.dryRun():
		if path[0] != ast.PathName(e.previewed) {
			return "", false
		}
		steps, ok = e.preview.PropertyAt(path[1:])
		steps = append([]string{e.previewed}, steps...)
	case e.route.Outcome == paths.Listed:
		steps, ok = e.rowAt(path, q.page)
		steps = append([]string{"items"}, steps...)
	default:
		steps, ok = e.rows.PropertyAt(path)
	}
	return strings.Join(steps, "."), ok
}

// rowAt is propertyAt for a list, which may be cut to a page here.
func (e *shape) rowAt(path ast.Path, page window) ([]string, bool) {
	if e.listOf != nil {
		path = path[1:]
	}
	if e.connection {
		path = path[min(1, len(path)):]
	}
	if len(path) == 0 {
		return nil, false
	}
	row, ok := path[0].(ast.PathIndex)
	if ok && !e.connection {
		row -= ast.PathIndex(page.offset())
		ok = row >= 0 && int(row) < page.size
	}
	if !ok {
		return nil, false
	}
	return e.rows.PropertyAt(append(ast.Path{row}, path[1:]...))
}
