package telemetry_test

import (
	"bytes"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/uplinehq/upline/internal/platform/telemetry"
)

// writes counts what is written at once.
type writes struct {
	mu    sync.Mutex
	all   bytes.Buffer
	calls int
}

func (w *writes) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls++
	return w.all.Write(p)
}

// Lines go out together, within a tenth of a second, and at once with a warning.
func TestLinesGoOutTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var to writes
		log, flush := telemetry.NewLog(&to, slog.LevelInfo)
		check := func(when string, lines, calls int) {
			t.Helper()
			to.mu.Lock()
			defer to.mu.Unlock()
			if n := strings.Count(to.all.String(), "\n"); n != lines || to.calls != calls {
				t.Errorf("%s: %d lines in %d writes, want %d in %d", when, n, to.calls, lines, calls)
			}
		}
		for range 50 {
			log.With("a", 1).WithGroup("g").Info("request")
		}
		log.Debug("not of the level")
		check("at once", 0, 0)
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		check("a tenth of a second later", 50, 1)
		log.Info("before")
		log.With("a", 1).Warn("look")
		check("with a warning", 52, 2)
		for range 1000 {
			log.Info(strings.Repeat("x", 100))
		}
		if to.calls < 3 || to.calls > 6 {
			t.Errorf("a thousand long lines took %d writes", to.calls-2)
		}
		flush()
		before := to.calls
		check("at the end", 1052, before)
		flush()
		check("nothing is left", 1052, before)
	})
}
