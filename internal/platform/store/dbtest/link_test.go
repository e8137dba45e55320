package dbtest

import (
	"io"
	"net"
	"sync/atomic"
	"testing"
	"time"
)

// Each failure of a link does what it says: what a server hears and answers while it lasts,
// and what comes afterwards.
func TestLink(t *testing.T) {
	t.Parallel() // it waits
	const said = "12345678"
	for n, want := range []struct {
		failure                 failure
		heard                   int64
		answered, answeredLater string
	}{
		{cuts, 0, "", ""},
		{holds, 0, "", said},
		{halves, 8, "1234", ""},
		{swallows, 8, "", ""},
	} {
		address, heard := parrot(t)
		l := newLink(t, address)
		l.kills = n
		c := call(t, l)
		exchange(t, c, said, said)
		heard.Store(0)
		l.Kill()
		if l.now != want.failure {
			t.Errorf("failure %d is %d, want %d", n, l.now, want.failure)
		}
		exchange(t, c, said, want.answered)
		for end := time.Now().Add(patience); heard.Load() < want.heard && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
		if heard.Load() != want.heard {
			t.Errorf("failure %d: the server heard %d bytes", n, heard.Load())
		}
		l.Start(t)
		exchange(t, c, "", want.answeredLater)
		exchange(t, call(t, l), said, said)
	}
}

// patience is how long a test waits for what must come, moment for what must not.
const patience, moment = 10 * time.Second, 200 * time.Millisecond

// parrot starts a server that says what it hears, and counts it.
func parrot(t *testing.T) (address string, heard *atomic.Int64) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	heard = new(atomic.Int64)
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				buffer := make([]byte, 64)
				for n, err := c.Read(buffer); err == nil; n, err = c.Read(buffer) {
					heard.Add(int64(n))
					_, _ = c.Write(buffer[:n])
				}
			}()
		}
	}()
	return listener.Addr().String(), heard
}

func call(t *testing.T, l *Link) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", l.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// exchange says something; then so much comes and no more.
func exchange(t *testing.T, c net.Conn, said, want string) {
	t.Helper()
	_, _ = c.Write([]byte(said))
	_ = c.SetReadDeadline(time.Now().Add(patience))
	answer := make([]byte, len(want))
	_, _ = io.ReadFull(c, answer)
	_ = c.SetReadDeadline(time.Now().Add(moment))
	more, _ := io.ReadAll(c)
	if got := string(answer) + string(more); got != want {
		t.Errorf("%q came, want %q", got, want)
	}
}
