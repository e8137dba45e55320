package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
)

// envelope makes the HTTP requests of a question to a server, as bytes: what
// the load generator costs is taken from both servers' CPU.
type envelope struct {
	server   *server
	question question
	document []byte // as JSON
}

func newEnvelope(s *server, q question) (envelope, error) {
	document, err := json.Marshal(q.document())
	return envelope{s, q, document}, err
}

func (e envelope) bytes(a ask) ([]byte, error) {
	if e.server.contestant != hand {
		variables, err := json.Marshal(a.variables)
		if err != nil {
			return nil, err
		}
		length := len(`{"query":,"variables":}`) + len(e.document) + len(variables)
		return fmt.Appendf(nil, "POST /graphql/%s HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer %s\r\nContent-Type: application/json\r\nAccept: application/json\r\nContent-Length: %d\r\n\r\n"+
			`{"query":%s,"variables":%s}`, tenantIdentifier, e.server.token, length, e.document, variables), nil
	}
	if a.body == nil {
		return fmt.Appendf(nil, "GET /%s?%s HTTP/1.1\r\nHost: bench\r\n\r\n", e.question.name, a.values.Encode()), nil
	}
	body, err := json.Marshal(a.body)
	return fmt.Appendf(nil, "POST /%s HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", e.question.name, len(body), body), err
}

// connection is a connection that is kept alive.
type connection struct {
	conn net.Conn
	in   *bufio.Reader
	body []byte
}

func dial(address string) (*connection, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return nil, err
	}
	return &connection{conn: conn, in: bufio.NewReaderSize(conn, 64<<10)}, nil
}

var errAnswer = errors.New("not the answer that was asked for")

// roundTrip sends a request and reads the answer, which must contain proof.
// The bytes returned are good until the next call.
func (c *connection) roundTrip(request []byte, proof string) ([]byte, error) {
	if _, err := c.conn.Write(request); err != nil {
		return nil, err
	}
	status, length, err := c.head()
	if err != nil {
		return nil, err
	}
	if cap(c.body) < length {
		c.body = make([]byte, length)
	}
	c.body = c.body[:length]
	if _, err := io.ReadFull(c.in, c.body); err != nil {
		return nil, err
	}
	if !status || !bytes.HasPrefix(c.body, []byte(`{"data":`)) || !bytes.Contains(c.body, []byte(proof)) {
		return nil, fmt.Errorf("%w: %.500s", errAnswer, c.body)
	}
	return c.body, nil
}

var contentLength = []byte("Content-Length: ")

// head reads the status line and the header of a response with a
// Content-Length.
func (c *connection) head() (ok bool, length int, err error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return false, 0, err
	}
	ok = bytes.HasPrefix(line, []byte("HTTP/1.1 200 "))
	for {
		if line, err = c.in.ReadSlice('\n'); err != nil {
			return false, 0, err
		}
		switch line = bytes.TrimSpace(line); {
		case len(line) == 0:
			return ok, length, nil
		case bytes.HasPrefix(line, contentLength):
			if length, err = strconv.Atoi(string(line[len(contentLength):])); err != nil {
				return false, 0, err
			}
		}
	}
}
