package dberror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/uplinehq/upline/internal/platform/admission"
)

// What the databases say when they are away, and what they say otherwise.
func TestOutage(t *testing.T) {
	_, connect := pgconn.Connect(t.Context(), "postgres://127.0.0.1:1/nothing")
	for _, test := range []struct {
		err  error
		want admission.Reason
	}{
		{&pgconn.PgError{Code: "53100"}, admission.Disk},
		{&pgconn.PgError{Code: "53300"}, admission.Database}, // too many connections
		{&pgconn.PgError{Code: "57P01"}, admission.Database}, // admin shutdown
		{&pgconn.PgError{Code: "57P03"}, admission.Database}, // starting up
		{&pgconn.PgError{Code: "XX000", Message: "could not commit transaction for shard 102146 on at least one active node"}, admission.Database},
		{&pgconn.PgError{Code: "XX000", Message: "cache lookup failed for relation 7"}, ""},
		{&pgconn.PgError{Code: "08006"}, admission.Database},
		{&pgconn.PgError{Code: "57014"}, ""}, // a statement that took too long
		{&pgconn.PgError{Code: "23505"}, ""},
		{connect, admission.Database},
		{&net.OpError{Op: "write", Err: io.EOF}, admission.Database},
		{io.ErrUnexpectedEOF, admission.Database},
		{errors.New("conn closed"), admission.Database},
		{&admission.Refusal{Reason: admission.NoConnection}, admission.NoConnection},
		{context.Canceled, ""},
		{context.DeadlineExceeded, ""},
		{errors.New("a fault"), ""},
		{nil, ""},
	} {
		err := test.err
		if err != nil {
			err = fmt.Errorf("read: %w", err)
		}
		var got admission.Reason
		if refusal := Outage(err); refusal != nil {
			got = refusal.Reason
		}
		if got != test.want {
			t.Errorf("%v: %q, want %q", err, got, test.want)
		}
	}
}
