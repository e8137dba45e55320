package bulk

import (
	"encoding/binary"
	"io"
	"strings"

	"github.com/uplinehq/upline/internal/problem"
)

// maxSpool bounds what is kept of a sheet that was read to its end, in bytes: some 250,000 rows.
const maxSpool = 32 << 20

// spool keeps the records of a sheet, one after the other, since an import reads its file several
// times, and XML takes several times as long as all else.
type spool struct {
	all      strings.Builder
	problems map[int][]*problem.Error // by the number of the record
	number   []byte
}

func (s *spool) size(n int) {
	s.number = binary.AppendUvarint(s.number[:0], uint64(n))
	s.all.Write(s.number)
}

// add adds a record, and reports whether there was room for it.
func (s *spool) add(r record) bool {
	s.size(r.number)
	s.size(len(r.cells))
	for _, cell := range r.cells {
		s.size(len(cell))
		s.all.WriteString(cell)
	}
	if r.problems != nil {
		if s.problems == nil {
			s.problems = map[int][]*problem.Error{}
		}
		s.problems[r.number] = r.problems
	}
	return s.all.Len() <= maxSpool
}

// spooled reads the records of a spool. Their cells are parts of it.
type spooled struct {
	rest     string
	problems map[int][]*problem.Error
	cells    []string
}

func (s *spool) open() *spooled { return &spooled{rest: s.all.String(), problems: s.problems} }

func (s *spooled) size() int {
	n, shift := 0, 0
	for {
		b := s.rest[0]
		s.rest = s.rest[1:]
		n |= int(b&0x7f) << shift
		if shift += 7; b < 0x80 {
			return n
		}
	}
}

// next implements grid.
func (s *spooled) next() (record, error) {
	if s.rest == "" {
		return record{}, io.EOF
	}
	r := record{number: s.size()}
	s.cells = s.cells[:0]
	for range s.size() {
		n := s.size()
		s.cells, s.rest = append(s.cells, s.rest[:n]), s.rest[n:]
	}
	r.cells, r.problems = s.cells, s.problems[r.number]
	return r, nil
}
