package rowset

import (
	"encoding/binary"
	"time"

	"github.com/uplinehq/upline/internal/date"
)

// Scanner reads rows of a database that does not send them in the form of Cells.
type Scanner struct {
	kinds    []Kind
	dest     []any
	texts    []*string
	ints     []*int64
	bools    []*bool
	days     []*date.Date
	instants []*time.Time
	bytes    [][]byte
}

// NewScanner makes a scanner of rows whose columns are of kinds.
func NewScanner(kinds []Kind) *Scanner {
	n := len(kinds)
	s := &Scanner{kinds: kinds, dest: make([]any, n), texts: make([]*string, n), ints: make([]*int64, n), bools: make([]*bool, n),
		days: make([]*date.Date, n), instants: make([]*time.Time, n), bytes: make([][]byte, n)}
	for i, k := range kinds {
		switch k {
		case Text:
			s.dest[i] = &s.texts[i]
		case Int:
			s.dest[i] = &s.ints[i]
		case Bool:
			s.dest[i] = &s.bools[i]
		case Day:
			s.dest[i] = &s.days[i]
		case Instant:
			s.dest[i] = &s.instants[i]
		case Bytes:
			s.dest[i] = &s.bytes[i]
		}
	}
	return s
}

// Row reads a row into cells.
func (s *Scanner) Row(from interface{ Scan(dest ...any) error }, into *Cells) error {
	if err := from.Scan(s.dest...); err != nil {
		return err
	}
	var b [8]byte
	for i, k := range s.kinds {
		switch {
		case k == Text && s.texts[i] != nil:
			into.Add([]byte(*s.texts[i]))
		case k == Int && s.ints[i] != nil:
			into.Add(binary.BigEndian.AppendUint64(b[:0], uint64(*s.ints[i])))
		case k == Bool && s.bools[i] != nil:
			b[0] = 0
			if *s.bools[i] {
				b[0] = 1
			}
			into.Add(b[:1])
		case k == Day && s.days[i] != nil:
			into.Add(binary.BigEndian.AppendUint32(b[:0], uint32(*s.days[i]-epochDay)))
		case k == Instant && s.instants[i] != nil:
			into.Add(binary.BigEndian.AppendUint64(b[:0], uint64(s.instants[i].UnixMicro()-epochMicro)))
		case k == Bytes && s.bytes[i] != nil:
			into.Add(s.bytes[i])
		default:
			into.Add(nil)
		}
	}
	return nil
}
