package store

import (
	"context"
	"log/slog"
)

// jobLog is a log handler that turns River's info lines into debug lines: its counts of
// jobs would add a line every few seconds. Warnings and errors keep their level.
type jobLog struct{ slog.Handler }

// Enabled implements slog.Handler.
func (l jobLog) Enabled(ctx context.Context, level slog.Level) bool {
	return l.Handler.Enabled(ctx, asDetail(level))
}

// Handle implements slog.Handler.
func (l jobLog) Handle(ctx context.Context, r slog.Record) error {
	r.Level = asDetail(r.Level)
	return l.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (l jobLog) WithAttrs(attrs []slog.Attr) slog.Handler { return jobLog{l.Handler.WithAttrs(attrs)} }

// WithGroup implements slog.Handler.
func (l jobLog) WithGroup(name string) slog.Handler { return jobLog{l.Handler.WithGroup(name)} }

func asDetail(level slog.Level) slog.Level {
	if level == slog.LevelInfo {
		return slog.LevelDebug
	}
	return level
}
