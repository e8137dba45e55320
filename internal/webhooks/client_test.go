package webhooks_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/patch"
	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/webhooks"
)

// transport is what the service sends requests with.
func (w *world) transport() *http.Transport { return w.Client().Transport.(*http.Transport) }

// last is the last delivery of a subscription, after what is due was attempted.
func (w *world) last(sub *webhooks.Subscription) *webhooks.Delivery {
	w.t.Helper()
	w.deliver(sub)
	all := w.deliveries(sub)
	return all[len(all)-1]
}

// "connect within 5 seconds, 15 in all": an endpoint that takes the connection and
// says nothing, that says nothing of TLS, or that never ends its answer, holds up a
// request no longer.
func TestRequestsTakeALimitedTime(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		if connect, handshake, all := w.Dialer().Timeout, w.transport().TLSHandshakeTimeout, w.Client().Timeout; connect != 5*time.Second || handshake != connect || all != 15*time.Second {
			t.Errorf("to connect %v and %v, in all %v", connect, handshake, all)
		}
		const late = "The endpoint did not answer in time"
		stop := make(chan struct{})
		hanging := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/body" {
				fmt.Fprint(w, "begun")
				w.(http.Flusher).Flush()
			}
			<-stop
		}))
		t.Cleanup(hanging.Close)
		t.Cleanup(func() { close(stop) })
		mute, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { mute.Close() })
		w.Client().Timeout = 300 * time.Millisecond
		if d := w.last(w.after(hanging.URL)); d.ErrorMessage == nil || *d.ErrorMessage != late || d.HTTPStatusCode != nil {
			t.Errorf("no answer: %+v", d)
		}
		// "A delivery is successful when the endpoint returns a 2xx status".
		if d := w.last(w.after(hanging.URL + "/body")); !d.IsSuccessful || *d.Response != "begun" {
			t.Errorf("a body without an end: %+v", d)
		}
		w.Client().Timeout, w.transport().TLSHandshakeTimeout = time.Minute, 100*time.Millisecond
		if d := w.last(w.after("https://" + mute.Addr().String())); d.ErrorMessage == nil || *d.ErrorMessage != late {
			t.Errorf("no TLS: %+v", d)
		}
	})
}

// after is a new subscription with an event that is due.
func (w *world) after(url string, change ...func(*webhooks.Input)) *webhooks.Subscription {
	w.t.Helper()
	sub := w.subscribe(url, change...)
	w.raise("A1")
	return sub
}

// An answer whose headers do not end is none.
func TestHeadersOfAnswersAreBounded(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		r := receive(t, func(w http.ResponseWriter, n int) {
			for i := range n * 100 {
				w.Header().Set(fmt.Sprint("X-", i), strings.Repeat("x", 600))
			}
			w.WriteHeader(http.StatusNoContent)
		})
		sub := w.after(r.URL)
		if d := w.last(sub); !d.IsSuccessful {
			t.Errorf("60 kB of headers: %+v", *d.ErrorMessage)
		}
		w.raise("A1")
		if d := w.last(sub); d.IsSuccessful || d.HTTPStatusCode != nil || *d.ErrorMessage != "The request failed" {
			t.Errorf("120 kB of headers: %+v", d)
		}
	})
}

// No proxy of the environment is used: it would connect where the guard of
// addresses does not look.
func TestNoProxy(t *testing.T) {
	proxy := receive(t, nil)
	for _, name := range []string{"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy"} {
		t.Setenv(name, proxy.URL)
	}
	each(t, func(t *testing.T, w *world) {
		if w.transport().Proxy != nil { // the environment is read once in a process
			t.Error("there is a proxy")
		}
		w.name("127.0.0.1")
		r := receive(t, nil)
		sub := w.lead(w.subscribe(r.URL), strings.Replace(r.URL, "127.0.0.1", "hooks.example.com", 1))
		w.raise("A1")
		if d := w.last(sub); !d.IsSuccessful {
			t.Errorf("the delivery: %v", *d.ErrorMessage)
		}
		if n := len(r.received()); n != 1 {
			t.Errorf("the endpoint got %d requests", n)
		}
	})
	if n := len(proxy.received()); n != 0 {
		t.Errorf("the proxy got %d requests", n)
	}
}

// name has every name lead to an address from now on.
func (w *world) name(address string) {
	w.t.Helper()
	server, err := net.ListenPacket("udp", "127.0.0.1:0")
	if err != nil {
		w.t.Fatal(err)
	}
	w.t.Cleanup(func() { server.Close() })
	go func() {
		query := make([]byte, 512)
		for {
			n, from, err := server.ReadFrom(query)
			if err != nil {
				return
			}
			_, _ = server.WriteTo(dnsAnswer(query[:n], net.ParseIP(address).To4()), from)
		}
	}()
	w.Dialer().Resolver = &net.Resolver{PreferGo: true, Dial: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "udp", server.LocalAddr().String())
	}}
}

// dnsAnswer answers a query for an address with a record (RFC 1035 §4.1), and one
// for anything else with none.
func dnsAnswer(query []byte, ip net.IP) []byte {
	end := 12
	for query[end] != 0 {
		end += int(query[end]) + 1
	}
	end += 5 // the root, type and class
	answer := append([]byte{}, query[:end]...)
	answer[2], answer[3] = 0x81, 0x80                       // an answer, recursion
	answer[6], answer[7], answer[8], answer[9] = 0, 0, 0, 0 // no answers, no authorities
	answer[10], answer[11] = 0, 0
	if query[end-4] == 0 && query[end-3] == 1 { // A
		answer[7] = 1
		answer = append(answer, 0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4)
		answer = append(answer, ip...)
	}
	return answer
}

// A name that leads to a public address at first, and to this machine at the next
// attempt, is looked at anew: the guard sees the address of each connection.
func TestNameChangesItsAddress(t *testing.T) {
	const public = "127.0.0.2" // as far as this test is concerned
	each(t, func(t *testing.T, w *world) {
		everywhere, err := net.Listen("tcp4", "0.0.0.0:0")
		if err != nil {
			t.Fatal(err)
		}
		requests := make(chan string, 10)
		server := &httptest.Server{Listener: everywhere, Config: &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			requests <- r.Context().Value(http.LocalAddrContextKey).(net.Addr).String()
			w.Header().Set("Connection", "close")
			w.WriteHeader(http.StatusInternalServerError)
		})}}
		server.Start()
		t.Cleanup(server.Close)
		_, port, _ := net.SplitHostPort(everywhere.Addr().String())
		sub := w.lead(w.subscribe("http://127.0.0.1:"+port), "http://hooks.example.com:"+port)
		w.raise("A1")
		w.Service = w.another(production)
		guard := w.Dialer().ControlContext
		w.Dialer().ControlContext = func(ctx context.Context, network, address string, c syscall.RawConn) error {
			if strings.HasPrefix(address, public+":") {
				return nil
			}
			return guard(ctx, network, address, c)
		}
		w.name(public)
		if d := w.last(sub); d.HTTPStatusCode == nil || *d.HTTPStatusCode != http.StatusInternalServerError {
			t.Fatalf("the first attempt: %s", *d.ErrorMessage)
		}
		w.name("127.0.0.1")
		w.clock.Move(time.Hour)
		if d := w.last(sub); d.AttemptNumber != 2 || d.IsSuccessful || d.HTTPStatusCode != nil || !strings.Contains(*d.ErrorMessage, "public internet") {
			t.Errorf("the second attempt: %+v", d)
		}
		if got := <-requests; !strings.HasPrefix(got, public) || len(requests) != 0 {
			t.Errorf("a request came to %s, and %d more", got, len(requests))
		}
	})
}

// An attempt is one request, also with a header for which Go's transport would
// send it again by itself when the endpoint closes the connection.
func TestAttemptIsOneRequest(t *testing.T) {
	each(t, func(t *testing.T, w *world) {
		for _, name := range []string{"Idempotency-Key", "x-idempotency-key", "X-Other"} {
			r := receive(t, func(w http.ResponseWriter, n int) {
				if n == 1 {
					w.WriteHeader(http.StatusNoContent)
					return
				}
				conn, _, err := w.(http.Hijacker).Hijack()
				if err == nil {
					conn.Close()
				}
			})
			sub := w.after(r.URL, func(in *webhooks.Input) {
				in.Headers = patch.Set([]webhooks.Header{{Name: name, Value: vault.Secret("one")}})
			})
			w.deliver(sub) // over a connection that stays open
			w.raise("A1")
			if d := w.last(sub); d.IsSuccessful || len(r.received()) != 2 {
				t.Errorf("%s: %d requests for two attempts", name, len(r.received()))
			}
		}
	})
}
