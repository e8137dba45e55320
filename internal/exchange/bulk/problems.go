package bulk

import (
	"strconv"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
)

// configuredShown bounds how many of the configured values a refusal lists.
const configuredShown = 20

// WithConfigured returns the refusal of a value that is not configured, and lists the
// configured ones: whoever has a file of another system does not know them.
func WithConfigured(p *problem.Error, keys []string) *problem.Error {
	with := *p
	switch more := len(keys) - configuredShown; {
	case len(keys) == 0:
		with.Message += " None is configured."
	case more > 0:
		with.Message += " Configured are " + strings.Join(keys[:configuredShown], ", ") + " and " + strconv.Itoa(more) + " more."
	default:
		with.Message += " Configured are " + strings.Join(keys, ", ") + "."
	}
	return &with
}

// MaxRow bounds a row of a file, in bytes. No row of an agency is that long, but a
// quotation mark that is never closed makes the rest of the file one row.
const MaxRow = 64 << 10

// whole is a problem of the file as a whole.
func whole(code problem.Code, message string) *problem.Error {
	return problem.Invalid(code, message, "file")
}

// notClosed is the problem of a row with a quotation mark that is never closed, which may
// have swallowed other rows.
func notClosed(line int) *problem.Error {
	return whole(problem.InvalidFormat, "The quotation marks of the row that begins in line "+strconv.Itoa(line)+" do not fit; one may not have been closed, so that the rows behind it are part of it").With("line", line)
}

// tooLong is the problem of a row that is longer than MaxRow.
func tooLong(line int) *problem.Error {
	return whole(problem.TooLong, "The row that begins in line "+strconv.Itoa(line)+" is longer than 65536 bytes; a quotation mark may not have been closed").With("line", line)
}
