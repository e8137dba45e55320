package dbtest

import (
	"net"
	"net/url"
	"sync"
	"testing"
)

// Link is a network between servers and a cluster that fails between Kill and Start, each
// time in the next of some ways (failures).
type Link struct {
	listener net.Listener
	to       string

	mu sync.Mutex
	// kills are how many times it failed, now how it does.
	kills int
	now   failure
	// over is closed when it fails no more.
	over chan struct{}
	open map[net.Conn]struct{}
}

// failure is how a network fails.
type failure int

const (
	none failure = iota
	// cuts ends every connection, and begins none.
	cuts
	// holds keeps all bytes until later.
	holds
	// halves cuts a connection in the middle of an answer.
	halves
	// swallows loses answers, and cuts their connections later: what was asked is done.
	swallows
)

var failures = []failure{cuts, holds, halves, swallows}

// Link starts a network in front of the cluster.
func (c *Cluster) Link(t testing.TB) *Link {
	t.Helper()
	to, err := url.Parse(c.URL())
	if err != nil {
		t.Fatal(err)
	}
	return newLink(t, to.Host)
}

func newLink(t testing.TB, to string) *Link {
	t.Helper()
	l := &Link{to: to, open: map[net.Conn]struct{}{}}
	var err error
	if l.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	go l.accept()
	t.Cleanup(func() {
		_ = l.listener.Close()
		l.Start(t)
		l.closeAll()
	})
	return l
}

// URL leads to the database of another URL over the link.
func (l *Link) URL(direct string) string {
	u, err := url.Parse(direct)
	if err != nil {
		panic(err) // it was used to connect
	}
	u.Host = l.listener.Addr().String()
	return u.String()
}

// Kill has the link fail until Start.
func (l *Link) Kill() {
	l.mu.Lock()
	l.now = failures[l.kills%len(failures)]
	l.kills++
	l.over = make(chan struct{})
	isCut := l.now == cuts
	l.mu.Unlock()
	if isCut {
		l.closeAll()
	}
}

// Start ends what Kill began.
func (l *Link) Start(testing.TB) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now != none {
		l.now = none
		close(l.over)
	}
}

func (l *Link) closeAll() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.open {
		_ = c.Close()
	}
	clear(l.open)
}

// accept connects whoever calls, until the listener is closed.
func (l *Link) accept() {
	for {
		near, err := l.listener.Accept()
		if err != nil {
			return
		}
		far, err := net.Dial("tcp", l.to)
		if err != nil || !l.keep(near, far) {
			_ = near.Close()
			continue
		}
		go l.carry(far, near, false)
		go l.carry(near, far, true)
	}
}

// keep notes the two ends of a connection; false while there can be none.
func (l *Link) keep(near, far net.Conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.now == cuts {
		_ = far.Close()
		return false
	}
	l.open[near], l.open[far] = struct{}{}, struct{}{}
	return true
}

// carry carries bytes from one end of a connection to the other; then both are closed.
func (l *Link) carry(to, from net.Conn, isAnswer bool) {
	defer l.drop(to, from)
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		l.mu.Lock()
		now, over := l.now, l.over
		l.mu.Unlock()
		switch {
		case now == swallows && isAnswer:
			<-over
			return
		case now == holds:
			<-over
		case now == halves && isAnswer:
			_, _ = to.Write(buffer[:n/2])
			return
		}
		if _, err := to.Write(buffer[:n]); err != nil {
			return
		}
	}
}

func (l *Link) drop(ends ...net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range ends {
		_ = c.Close()
		delete(l.open, c)
	}
}
