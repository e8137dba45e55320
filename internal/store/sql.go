package store

import (
	"strconv"
	"strings"
)

// SQL is a statement written by hand, piece by piece.
type SQL struct {
	text strings.Builder
	args []any
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
		s.text.WriteByte('$')
		s.text.WriteString(strconv.Itoa(len(s.args)))
		text, args = after, args[1:]
	}
	s.text.WriteString(text)
	return s
}

// Arg adds an argument and returns its placeholder, for use more than once.
func (s *SQL) Arg(v any) string {
	s.args = append(s.args, v)
	return "$" + strconv.Itoa(len(s.args))
}

// Piece returns what write writes, to be put into the statement, more than once
// perhaps; only its arguments are added here.
func (s *SQL) Piece(write func(*SQL)) string {
	piece := &SQL{args: s.args}
	write(piece)
	s.args = piece.args
	return piece.Text()
}

// Text returns the statement.
func (s *SQL) Text() string { return s.text.String() }

// Args returns its arguments.
func (s *SQL) Args() []any { return s.args }
