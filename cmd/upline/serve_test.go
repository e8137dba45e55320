package main

import (
	"log/slog"
	"net/http"
	"testing"
	"time"
)

// No client holds a connection by sending, or taking, as slowly as it likes; an
// operation has its time between the two.
func TestServerWaitsForNoClientWithoutABound(t *testing.T) {
	s := newServer(http.NotFoundHandler(), slog.New(slog.DiscardHandler))
	for name, within := range map[string]time.Duration{"head": s.ReadHeaderTimeout, "body": s.ReadTimeout, "idle": s.IdleTimeout, "answer": s.WriteTimeout} {
		if within <= 0 {
			t.Errorf("there is no limit for the %s", name)
		}
	}
	if s.WriteTimeout <= s.ReadTimeout+10*time.Second {
		t.Errorf("an answer may take %v, of which its body may take %v", s.WriteTimeout, s.ReadTimeout)
	}
}
