package dbtest

import (
	"errors"
	"math/rand/v2"
	"net"
	"strconv"
	"testing"
)

// freePort returns a port of 127.0.0.1 where nobody listens. It is below those that the
// system gives to whoever connects to somebody: such a port may be another's before a server
// listens there, or while one is away that a test starts again. It does not listen there to
// find out: a program that is being started at that moment has the port until it runs.
func freePort() (int, error) {
	for range 1000 {
		port := 10_000 + rand.IntN(20_000)
		conn, err := net.Dial("tcp", "127.0.0.1:"+strconv.Itoa(port))
		if err != nil {
			return port, nil
		}
		if err := conn.Close(); err != nil {
			return 0, err
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
