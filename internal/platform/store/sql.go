package store

import (
	"strconv"
	"strings"
)

// SQL is a statement written by hand, piece by piece.
type SQL struct {
	text strings.Builder
	args []any
	// named are the placeholders of the arguments that have names.
	named map[string]string
}

// Write starts, or continues, a statement: each ? in text stands for the next
// argument.
func (s *SQL) Write(text string, args ...any) *SQL {
	for len(args) > 0 {
		before, after, found := strings.Cut(text, "?")
		if !found {
			panic("store: more arguments than placeholders in " + text)
		}
		s.text.WriteString(before)
		s.args = append(s.args, args[0])
		s.text.WriteString(argument(len(s.args)))
		text, args = after, args[1:]
	}
	s.text.WriteString(text)
	return s
}

// Arg adds an argument and returns its placeholder, for use more than once.
func (s *SQL) Arg(v any) string {
	s.args = append(s.args, v)
	return argument(len(s.args))
}

// Named is Arg for a value that is one argument, however often it is asked for by its
// name.
func (s *SQL) Named(name string, v any) string {
	if s.named == nil {
		s.named = map[string]string{}
	}
	if s.named[name] == "" {
		s.named[name] = s.Arg(v)
	}
	return s.named[name]
}

// arguments are the placeholders of the first arguments.
var arguments = func() (all [32]string) {
	for i := range all {
		all[i] = "$" + strconv.Itoa(i)
	}
	return all
}()

// argument is the placeholder of the n-th argument.
func argument(n int) string {
	if n < len(arguments) {
		return arguments[n]
	}
	return "$" + strconv.Itoa(n)
}

// Room makes the statement expect that many more bytes.
func (s *SQL) Room(bytes int) { s.text.Grow(bytes) }

// Piece returns the text that write writes, which can be put into the statement, even
// several times; only its arguments are added here.
func (s *SQL) Piece(write func(*SQL)) string {
	piece := &SQL{args: s.args}
	piece.Room(pieceRoom)
	write(piece)
	s.args = piece.args
	return piece.Text()
}

// pieceRoom is how many bytes most pieces take.
const pieceRoom = 256

// Text returns the statement.
func (s *SQL) Text() string { return s.text.String() }

// Args returns its arguments.
func (s *SQL) Args() []any { return s.args }
