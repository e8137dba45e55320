package dbtest

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// freePort returns a port of 127.0.0.1 that nobody has. It is below those that the system
// gives to whoever connects to somebody: such a port may be another's before a server
// listens there, or while one is away that a test starts again.
func freePort() (int, error) {
	for range 1000 {
		port := 10_000 + rand.IntN(20_000)
		if l, err := net.Listen("tcp", "127.0.0.1:"+strconv.Itoa(port)); err == nil {
			return port, l.Close()
		}
	}
	return 0, errors.New("no port is free")
}

// FreeAddress returns an address of this machine for a server that is told where to listen.
func FreeAddress(t testing.TB) string {
	t.Helper()
	port, err := freePort()
	if err != nil {
		t.Fatal(err)
	}
	return "127.0.0.1:" + strconv.Itoa(port)
}
