package telemetry

import (
	"context"
	"io"
	"log/slog"
	"sync"
	"time"
)

const (
	// logWithin is how long lines are collected before they are written. Under load one
	// write to the system takes the lines of many requests; a write for each would cost
	// as much as a small answer.
	logWithin = 100 * time.Millisecond
	// logBuffer bounds the bytes that are collected.
	logBuffer = 64 << 10
)

// NewLog returns a log of JSON lines, from a level on. Lines are collected and written at
// least ten times a second; a warning or an error is written at once, with all lines
// before it. A process that is killed may lose the lines of its last moment. flush writes
// what is collected.
func NewLog(w io.Writer, level slog.Level) (log *slog.Logger, flush func()) {
	lines := &lines{to: w}
	return slog.New(lineHandler{slog.NewJSONHandler(lines, &slog.HandlerOptions{Level: level}), lines}), lines.flush
}

// lines collects lines.
type lines struct {
	mu sync.Mutex
	to io.Writer
	// waiting is empty while no flush is due.
	waiting []byte
}

// Write implements io.Writer.
func (l *lines) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) == 0 {
		time.AfterFunc(logWithin, l.flush)
	}
	if l.waiting = append(l.waiting, line...); len(l.waiting) >= logBuffer {
		l.write()
	}
	return len(line), nil
}

func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.write()
}

// write writes the collected lines. If that fails, nobody reads the log and nobody can be
// told.
func (l *lines) write() {
	if len(l.waiting) > 0 {
		_, _ = l.to.Write(l.waiting)
		l.waiting = l.waiting[:0]
	}
}

// lineHandler writes the collected lines after a warning or an error.
type lineHandler struct {
	slog.Handler
	lines *lines
}

// Handle implements slog.Handler.
func (h lineHandler) Handle(ctx context.Context, r slog.Record) error {
	err := h.Handler.Handle(ctx, r)
	if r.Level >= slog.LevelWarn {
		h.lines.flush()
	}
	return err
}

// WithAttrs implements slog.Handler.
func (h lineHandler) WithAttrs(attrs []slog.Attr) slog.Handler {
	return lineHandler{h.Handler.WithAttrs(attrs), h.lines}
}

// WithGroup implements slog.Handler.
func (h lineHandler) WithGroup(name string) slog.Handler {
	return lineHandler{h.Handler.WithGroup(name), h.lines}
}
