package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/uplinehq/upline/app"
	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/exchange/export"
)

// exportFlags bound the files of exports.
type exportFlags struct {
	ExportRows   int           `help:"Maximum number of rows of an export." default:"1000000" env:"UPLINE_EXPORT_ROWS"`
	ExportSize   int64         `help:"Maximum size of an export's file, in MiB." default:"256" env:"UPLINE_EXPORT_SIZE"`
	ExportWithin time.Duration `help:"Maximum duration of an export." default:"1h" env:"UPLINE_EXPORT_WITHIN"`
}

// Validate implements kong's hook.
func (f exportFlags) Validate() error {
	return aboveZero(flagValue{"export-rows", int64(f.ExportRows)}, flagValue{"export-size", f.ExportSize}, flagValue{"export-within", int64(f.ExportWithin)})
}

// flagValue is a flag with its value.
type flagValue struct {
	name  string
	value int64
}

// aboveZero returns an error that names the flags whose value is not above 0.
func aboveZero(flags ...flagValue) error {
	var wrong []error
	for _, f := range flags {
		if f.value <= 0 {
			wrong = append(wrong, errors.New("--"+f.name+" must be above 0"))
		}
	}
	return errors.Join(wrong...)
}

func (f exportFlags) limits() export.Limits {
	return export.Limits{Rows: f.ExportRows, Bytes: f.ExportSize << 20, Time: f.ExportWithin}
}

type exportCommand struct {
	ofTenant
	initiated
	exportFlags
	Query     string `help:"File with a GraphQL query." required:"" type:"existingfile"`
	Variables string `help:"The variables of the query, a JSON object."`
	Path      string `help:"Path of the connection in the query to export, such as agents or agent.downline." required:""`
	Format    string `help:"Format of the file: csv, xlsx or jsonl." default:"csv" enum:"csv,xlsx,jsonl"`
	OnDate    string `help:"Day as of which dated fields are read, if the query names none; today by default." placeholder:"YYYY-MM-DD"`
	Output    string `help:"File to write; it appears when it is complete." required:"" type:"path"`
}

// Run implements the command.
func (c *exportCommand) Run(ctx context.Context, log *slog.Logger) error {
	in, err := c.input()
	if err != nil {
		return err
	}
	s, err := c.open(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	key, err := c.key(ctx, s)
	if err != nil {
		return err
	}
	a, err := app.New(ctx, app.Config{Store: s, Clock: system, Key: key, Issuer: "http://localhost", Log: log, Exports: c.exportFlags.limits()})
	if err != nil {
		return err
	}
	t, err := a.Tenants.Find(ctx, c.Tenant)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(byOperator(ctx, t, "export", c.Initiator), c.ExportWithin)
	defer cancel()
	var done export.Progress
	err = whole(c.Output, func(w io.Writer) error {
		bar := newProgress("rows")
		defer bar.end()
		done, err = a.Exports.Write(ctx, in, w, func(p export.Progress) {
			total := 0
			if p.Total != nil {
				total = *p.Total
			}
			bar.show("exporting "+c.Path, p.Rows, total)
		})
		return err
	})
	if err != nil {
		return err
	}
	fmt.Println("exported", done.Rows, "rows to", c.Output)
	if warning := done.Warning(); warning != nil {
		fmt.Fprintln(os.Stderr, *warning)
	}
	return nil
}

func (c *exportCommand) input() (in export.Input, err error) {
	query, err := os.ReadFile(c.Query)
	if err != nil {
		return in, err
	}
	in = export.Input{Query: string(query), Path: c.Path, Format: strings.ToUpper(c.Format)}
	if c.Variables != "" {
		d := json.NewDecoder(strings.NewReader(c.Variables))
		d.UseNumber()
		if d.Decode(&in.Variables) != nil {
			return in, errors.New("--variables must be a JSON object")
		}
	}
	if c.OnDate != "" {
		day, err := date.Parse(c.OnDate)
		if err != nil {
			return in, fmt.Errorf("--on-date %w", err)
		}
		in.OnDate = &day
	}
	return in, nil
}

// whole writes a file that only its owner can read. The file appears when it is complete,
// and not at all after an error.
func whole(path string, write func(io.Writer) error) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err = errors.Join(write(f), f.Close()); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
