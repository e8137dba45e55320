package export

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// busyPause is the time between two attempts to get a turn on a busy server.
const busyPause = time.Second

// Progress is how far a table is written.
type Progress struct {
	Rows int
	// Total is the number of rows to write; nil when nobody counted them.
	Total *int
	// Reveals is true when a sensitive value was shown in full.
	Reveals bool
	// Unreadable counts the stored values that cannot be decrypted; their cells are
	// empty.
	Unreadable int
}

// Warning says what the file lacks; nil when it is whole.
func (p Progress) Warning() *string {
	if p.Unreadable == 0 {
		return nil
	}
	return new(fmt.Sprintf("Stored values that could not be read: %d. Their cells are empty.", p.Unreadable))
}

// Write writes an export to w and returns when it is done: for the command line. It calls
// told after each page.
func (s *Service) Write(ctx context.Context, in Input, w io.Writer, told func(Progress)) (Progress, error) {
	caller, _ := tenant.CallerFrom(ctx)
	plan, err := s.planFor(ctx, s.query(ctx, in), caller)
	if err != nil {
		return Progress{}, err
	}
	err = s.write(ctx, func(_ context.Context, w *change.Writing) error {
		w.Changed("Export", in.Path, "file")
		return nil
	})
	if err != nil {
		return Progress{}, err
	}
	return s.writeTable(ctx, plan, in.Format, w, told)
}

// writeTable reads a query to its end, a page at a time, and writes its rows.
func (s *Service) writeTable(ctx context.Context, plan Plan, format string, w io.Writer, told func(Progress)) (p Progress, err error) {
	out, err := sheet.New(format, w, plan.Columns())
	if err != nil {
		return p, err
	}
	for after, more := "", true; more; {
		page, err := s.page(ctx, plan, after)
		if err != nil {
			return p, err
		}
		p.Reveals, p.Unreadable = p.Reveals || page.Reveals, p.Unreadable+page.Unreadable
		if p.Total == nil {
			p.Total = page.Total
		}
		if p.Rows += len(page.Rows); p.Rows > s.Rows || p.Total != nil && *p.Total > s.Rows {
			return p, tooMuch(fmt.Sprintf("there are more than %d rows, the most that this server exports", s.Rows))
		}
		for _, row := range page.Rows {
			if err := out.Row(row); err != nil {
				return p, err
			}
		}
		told(p)
		after, more = page.Next, page.Next != ""
	}
	return p, out.End()
}

// page reads a page when it is its turn. An export waits in line with requests; when the
// server is busy it tries again.
func (s *Service) page(ctx context.Context, plan Plan, after string) (Page, error) {
	for {
		done, err := s.Turn(ctx)
		if err == nil {
			defer done()
			return plan.Page(ctx, after)
		}
		select {
		case <-ctx.Done():
			return Page{}, context.Cause(ctx)
		case <-time.After(busyPause):
		}
	}
}

// said returns what people are told of an error that ended a run; ok is false for a
// fault.
func said(err error) (message string, ok bool) {
	problems := problem.From(err)
	if problems == nil {
		return "", false
	}
	return problems[0].Message, true
}
