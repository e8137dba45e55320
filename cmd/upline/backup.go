package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/alecthomas/kong"

	"github.com/uplinehq/upline/internal/platform/store"
)

type backupCommand struct {
	Database string `help:"Path of the SQLite file." required:"" env:"UPLINE_DATABASE"`
	To       string `arg:"" help:"File to write; it must not exist." type:"path"`
}

// Run implements the command.
func (c *backupCommand) Run(ctx context.Context, k *kong.Kong) error {
	s, err := database{Database: c.Database}.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.BackUp(ctx, c.To); err != nil {
		return err
	}
	_, err = fmt.Fprintf(k.Stdout, "%s is complete and was checked. It does not hold the key: keep a copy of the key elsewhere, or the sensitive values cannot be read.\n", c.To)
	return err
}

type restoreCommand struct {
	database
	From string `arg:"" help:"File that upline backup wrote." type:"path"`
}

// Run implements the command.
func (c *restoreCommand) Run(ctx context.Context, k *kong.Kong) error {
	if err := store.Restore(ctx, c.From, c.Database); err != nil {
		return err
	}
	s, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if _, err := fmt.Fprintf(k.Stdout, "%s is restored.\n", c.Database); err != nil || c.Key != "" {
		return err
	}
	if _, err := os.Stat(c.keyFile()); errors.Is(err, fs.ErrNotExist) {
		_, err = fmt.Fprintf(k.Stdout, "Put its key into %s, or name it with --key-file; then run upline doctor.\n", c.keyFile())
		return err
	}
	return nil
}
