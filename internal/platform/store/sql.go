package store

import (
	"strconv"
	"strings"
	"sync"
)

// SQL is a statement written by hand, piece by piece.
type SQL struct {
	text []byte
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
		s.text = append(s.text, before...)
		s.args = append(s.args, args[0])
		s.text = append(s.text, argument(len(s.args))...)
		text, args = after, args[1:]
	}
	s.text = append(s.text, text...)
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

// Piece returns the text that write writes, which can be put into the statement, even
// several times; only its arguments are added here.
func (s *SQL) Piece(write func(*SQL)) string {
	piece := &SQL{args: s.args, text: make([]byte, 0, pieceRoom)}
	write(piece)
	s.args = piece.args
	return piece.Text()
}

// pieceRoom is how many bytes most pieces take.
const pieceRoom = 256

// Text returns the statement.
func (s *SQL) Text() string { return string(s.text) }

// Args returns its arguments.
func (s *SQL) Args() []any { return s.args }

var sqlPool = sync.Pool{New: func() any { return new(SQL) }}

// NewSQL returns an empty statement for Read, which takes its memory back.
func NewSQL() *SQL { return sqlPool.Get().(*SQL) }

// keptSQL bounds the text of the statements whose memory is kept, in bytes.
const keptSQL = 64 << 10

func (s *SQL) release() {
	if cap(s.text) > keptSQL {
		return
	}
	clear(s.args)
	clear(s.named)
	s.text, s.args = s.text[:0], s.args[:0]
	sqlPool.Put(s)
}

// texts are the statements that were read last, each once: a text that is written again
// takes no memory. When there are many, all are forgotten.
var texts = struct {
	sync.RWMutex
	known map[string]string
}{known: map[string]string{}}

// kept is Text, of a statement that is likely to be written again.
func (s *SQL) kept() string {
	texts.RLock()
	text, ok := texts.known[string(s.text)]
	texts.RUnlock()
	if ok {
		return text
	}
	text = string(s.text)
	texts.Lock()
	defer texts.Unlock()
	if len(texts.known) >= cached {
		clear(texts.known)
	}
	texts.known[text] = text
	return text
}
