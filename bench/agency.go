package main

import (
	"bytes"
	"context"
	"errors"
	"log/slog"

	"github.com/jackc/pgx/v5"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/clock"
	"github.com/uplinehq/upline/internal/demo"
	"github.com/uplinehq/upline/internal/identity"
	"github.com/uplinehq/upline/internal/identity/directory"
	"github.com/uplinehq/upline/internal/platform/admission"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

const (
	tenantIdentifier = "bench"
	clientID         = "bench"
	clientSecret     = "bench-secret"
	issuer           = "http://127.0.0.1"
)

var (
	system = clock.System{}
	// key encrypts made-up data only.
	key = bytes.Repeat([]byte{7}, 32)
)

// wide lets everything run that is asked for: the server is measured, not its
// limits.
var wide = admission.Limits{Concurrency: 1000, TenantConcurrency: 1000}

// assemble puts the server together, as the command does.
func assemble(ctx context.Context, s *store.Store, l admission.Limits) (*app.App, error) {
	return app.New(ctx, app.Config{Store: s, Clock: system, Key: key, Issuer: issuer, Log: slog.New(slog.DiscardHandler), Limits: l})
}

// fill makes the agency, unless the database has it.
func fill(ctx context.Context, a *app.App, agents int) error {
	t, err := a.Tenants.Find(ctx, tenantIdentifier)
	if errors.Is(err, directory.ErrUnknown) {
		t, err = directory.Create(ctx, a.Store, a.Vault, system, directory.NewTenant{Identifier: tenantIdentifier, Name: "Benchmark",
			TimeZone: "America/Chicago", DefaultPageSize: 50, MaxPageSize: 100})
	}
	if err != nil {
		return err
	}
	if err := addClient(ctx, a, t); err != nil {
		return err
	}
	ctx = tenant.With(ctx, t)
	team, err := a.Agency.Team(ctx, directory.DefaultTeam)
	if err != nil {
		return err
	}
	err = demo.Load(ctx, a.Store, a.Vault, system, t, demo.Options{Agents: agents, Seed: 1, Today: clock.Today(system, t.Zone)}, func(int, int) {})
	if err != nil && !errors.Is(err, demo.ErrNotEmpty) {
		return err
	}
	_, err = a.Hierarchy.Rebuild(ctx, team)
	return err
}

func addClient(ctx context.Context, a *app.App, t *tenant.Tenant) error {
	err := app.Operator(a.Store).AddClient(ctx, identity.NewClient{ID: clientID, Secret: clientSecret,
		Scopes: []string{"read:agents", "write:agents"}, TenantID: &t.ID}, system.Now())
	if problem.Has(err, problem.DuplicateKey) {
		return nil
	}
	return err
}

// settle gives PostgreSQL statistics and a visibility map, which it would get
// by itself with time.
func settle(ctx context.Context, database string) error {
	conn, err := pgx.Connect(ctx, database)
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, statement := range []string{"VACUUM (ANALYZE)", "CHECKPOINT"} {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return err
		}
	}
	return nil
}
