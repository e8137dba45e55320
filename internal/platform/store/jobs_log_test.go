package store

import (
	"log/slog"
	"strings"
	"testing"
)

// News of the job queue are details, its warnings and errors are not.
func TestJobLog(t *testing.T) {
	var text strings.Builder
	log := func(level slog.Level) *slog.Logger {
		text.Reset()
		return slog.New(jobLog{slog.NewTextHandler(&text, &slog.HandlerOptions{Level: level})}).With("queue", "default").WithGroup("job")
	}
	said := func(l *slog.Logger) string {
		l.Info("Producer job counts")
		l.Warn("slow")
		l.Error("lost")
		return text.String()
	}
	if got := said(log(slog.LevelInfo)); strings.Contains(got, "counts") || strings.Count(got, "queue=default") != 2 {
		t.Errorf("at the level info it says %s", got)
	}
	if got := said(log(slog.LevelDebug)); !strings.Contains(got, "level=DEBUG msg=\"Producer job counts\"") || strings.Count(got, "queue=default") != 3 {
		t.Errorf("at the level debug it says %s", got)
	}
}
