// Package outbound sends requests to addresses that a tenant names: to the public
// internet only, and never through a redirect.
package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"
)

// Dialer returns a dialer that gives up after a time, and reaches only addresses of the
// public internet. With anywhere it reaches all, for a developer's machine.
func Dialer(within time.Duration, anywhere bool) *net.Dialer {
	dialer := &net.Dialer{Timeout: within, ControlContext: guard}
	if anywhere {
		dialer.ControlContext = nil
	}
	return dialer
}

// Client returns a client with such a dialer. It ends a request after a time, follows no
// redirect, and breaks off an answer of more than most bytes.
func Client(within time.Duration, most int64, anywhere bool) *http.Client {
	return &http.Client{
		// The transport has no Proxy, since a proxy would connect where the guard cannot
		// check.
		Transport: bounded{&http.Transport{DialContext: Dialer(within, anywhere).DialContext, TLSHandshakeTimeout: within, ForceAttemptHTTP2: true,
			MaxIdleConns: 64, MaxIdleConnsPerHost: 4, IdleConnTimeout: 30 * time.Second, MaxResponseHeaderBytes: 64 << 10}, most},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       within,
	}
}

// bounded limits the answers of a transport, in bytes.
type bounded struct {
	*http.Transport
	most int64
}

// RoundTrip implements http.RoundTripper.
func (b bounded) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := b.Transport.RoundTrip(r)
	if err == nil {
		answer.Body = &limited{answer.Body, b.most}
	}
	return answer, err
}

type limited struct {
	io.ReadCloser
	left int64
}

// errTooLarge is the error of an answer that is larger than permitted.
var errTooLarge = errors.New("outbound: the answer is too large")

// Read implements io.Reader.
func (l *limited) Read(p []byte) (int, error) {
	n, err := l.ReadCloser.Read(p)
	if l.left -= int64(n); l.left < 0 {
		return 0, errTooLarge
	}
	return n, err
}

// Explain describes an error in words of our own: errors of the network repeat URLs and
// addresses.
func Explain(err error) string {
	var (
		dns         *net.DNSError
		certificate *tls.CertificateVerificationError
		unknown     x509.UnknownAuthorityError
		record      tls.RecordHeaderError
		timeout     net.Error
	)
	switch {
	case errors.Is(err, errTooLarge):
		return "The answer is too large"
	case errors.Is(err, errForbiddenAddress):
		return "The host leads to an address that is not of the public internet"
	case errors.As(err, &dns):
		return "The name of the host was not found"
	case errors.As(err, &certificate), errors.As(err, &unknown), errors.As(err, &record):
		return "There is no trusted TLS connection to the host"
	case errors.Is(err, syscall.ECONNREFUSED):
		return "The connection was refused"
	case errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, context.DeadlineExceeded), errors.As(err, &timeout) && timeout.Timeout():
		return "The endpoint did not answer in time"
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET):
		return "The endpoint closed the connection without an answer"
	}
	return "The request failed"
}
