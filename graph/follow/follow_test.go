package follow

import (
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"

	"github.com/uplinehq/upline/internal/platform/tail"
)

// A subscriber that leaves while a row is read for it leaves no error behind; a row
// that cannot be read does.
func TestLeavingSubscriberIsNoError(t *testing.T) {
	for name, leaves := range map[string]bool{"leaves": true, "stays": false} {
		t.Run(name, func(t *testing.T) {
			var text strings.Builder
			log := slog.New(slog.NewTextHandler(&text, nil))
			ctx, leave := context.WithCancel(t.Context())
			defer leave()
			rows := make(chan int, 1)
			rows <- 1
			shown, err := Rows(ctx, log, func(context.Context) (*tail.Subscription[int], error) {
				return &tail.Subscription[int]{Rows: rows}, nil
			},
				func(context.Context, int) (*string, error) {
					if leaves {
						leave()
					}
					return nil, errors.New("the statement was interrupted")
				})
			if err != nil {
				t.Fatal(err)
			}
			for range shown {
				t.Error("it shows a row")
			}
			if logged := strings.Contains(text.String(), "level=ERROR"); logged == leaves {
				t.Errorf("logged %q", text.String())
			}
		})
	}
}
