package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/platform/telemetry"
)

// noAdmin is the address that means: no admin listener.
const noAdmin = "off"

// profileWithin is longer than a profile usually takes.
const profileWithin = 5 * time.Minute

// serveAdmin serves the admin listener until the returned function is called.
func (c *serveCommand) serveAdmin(a *app.App, log *slog.Logger) (stop func(), err error) {
	if c.AdminAddr == noAdmin {
		return func() {}, nil
	}
	listener, err := net.Listen("tcp", c.AdminAddr)
	if err != nil {
		return nil, fmt.Errorf("--admin-addr: %w", err)
	}
	server := newServer(a.Admin(), log)
	server.WriteTimeout = profileWithin
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			log.Error("admin listener", slog.Any("error", err))
		}
	}()
	return func() { _ = server.Close() }, nil
}

// flushWithin is how long a collector may take to accept the last spans when the server
// ends.
const flushWithin = 5 * time.Second

// flush sends the spans that were not sent yet.
func flush(stop telemetry.Stop, log *slog.Logger) {
	ctx, cancel := context.WithTimeout(context.Background(), flushWithin)
	defer cancel()
	if err := stop(ctx); err != nil {
		log.Warn("telemetry", slog.Any("error", err))
	}
}

type healthCommand struct {
	Addr string `help:"Address that the server listens on." default:"127.0.0.1:8080" env:"UPLINE_ADDR"`
}

// healthWithin is how long the server may take to answer.
const healthWithin = 3 * time.Second

// Run implements the command.
func (c *healthCommand) Run(ctx context.Context) error {
	host, port, err := net.SplitHostPort(c.Addr)
	if err != nil {
		return err
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() { // it listens on all, this host among them
		host = "127.0.0.1"
	}
	ctx, cancel := context.WithTimeout(ctx, healthWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/healthz", nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusNoContent {
		return fmt.Errorf("the server answered %d", response.StatusCode)
	}
	return nil
}
