package app

import (
	"context"
	"errors"
	"log/slog"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/uplinehq/upline/internal/exchange/export"
	"github.com/uplinehq/upline/internal/platform/audit"
	"github.com/uplinehq/upline/internal/platform/oauth"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

func (a *App) newExports() *export.Service {
	return export.New(export.Config{Store: a.Store, Clock: a.Clock, Vault: a.Vault, Log: a.Log, Limits: a.Config.Exports, URL: a.Issuer, TraceID: traceID,
		Find: a.Tenants.ByID, Caller: a.asAsked, Turn: a.guard.admitExport})
}

// asAsked returns whoever asked for an export, with the rights of now: those scopes that
// the client still has, and for a user those that the user has, like for any request. A
// client of another issuer has what its token said, since nobody here knows more.
func (a *App) asAsked(ctx context.Context, asked export.Asked) (tenant.Caller, error) {
	scopes, err := a.stillHeld(ctx, asked)
	if err != nil {
		return tenant.Caller{}, err
	}
	caller := tenant.Caller{Subject: asked.Subject, ClientID: asked.ClientID, Scopes: scopes}
	if asked.UserID != 0 {
		caller, err := asUser(ctx, a.Identity, a.Clock, caller, asked.UserID)
		var refused *problem.Error
		if errors.As(err, &refused) {
			err = mayNoMore()
		}
		return caller, err
	}
	return caller, nil
}

// stillHeld returns the scopes of whoever asked for an export that the client still has.
// A later client of the same name is another.
func (a *App) stillHeld(ctx context.Context, asked export.Asked) ([]string, error) {
	if strings.Contains(asked.ClientID, ":") || asked.ClientID == oauth.WorkbenchClient { // as no client of ours is called
		return asked.Scopes, nil
	}
	client, err := a.entities.Client(ctx, asked.ClientID)
	if errors.Is(err, oauth.ErrUnknownClient) || err == nil && (!client.MayAct(a.Clock.Now()) || asked.At.Before(client.Since)) {
		return nil, mayNoMore()
	}
	return slices.DeleteFunc(slices.Clone(asked.Scopes), func(scope string) bool { return !slices.Contains(client.Scopes, scope) }), err
}

func mayNoMore() error {
	return &problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Message: "Who asked for the export may not act any more"}
}

// writeChunkWithin bounds how long the writing of one chunk of a file may take.
const writeChunkWithin = time.Minute

// download serves the file of an export to whoever asked for it. The URL names the file
// and grants nothing: the request brings a token, like any other.
func (a *App) download(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Cache-Control", "no-store")
	identifier := r.PathValue("tenantIdentifier")
	ctx, err := a.enter(r, &identifier, a.credentials)
	var file *export.Download
	if err == nil {
		ctx = audit.WithOrigin(ctx, audit.Origin{Operation: "exportDownload", Surface: audit.REST, TraceID: traceID(ctx)})
		file, err = a.openFile(ctx, r)
	}
	if err != nil {
		refuse(w, r, a.refusalOrFault(r, err))
		return
	}
	header := w.Header()
	header.Set("Content-Type", file.MediaType)
	header.Set("Content-Disposition", mime.FormatMediaType("attachment", map[string]string{"filename": file.Name}))
	header.Set("Content-Length", strconv.Itoa(*file.Size))
	if r.Method == http.MethodHead {
		return
	}
	// The whole file may take longer than an answer usually may, but no chunk of it may:
	// a client that stops reading is cut off.
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(time.Time{})
	stalled := time.AfterFunc(writeChunkWithin, func() { _ = control.SetWriteDeadline(time.Unix(1, 0)) })
	defer stalled.Stop()
	if err := file.WriteTo(ctx, w, func() { stalled.Reset(writeChunkWithin) }); err != nil { // the client sees that bytes are missing
		a.Log.WarnContext(ctx, "a download ended early", slog.String("export", file.UID), slog.String("traceId", traceID(ctx)), slog.Any("error", err))
	}
}

// openFile finds the file and records the download, when it is the request's turn. The
// file is written to the client after the turn, so that it delays nobody.
func (a *App) openFile(ctx context.Context, r *http.Request) (*export.Download, error) {
	ctx, done, err := a.guard.admit(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	file, err := a.Exports.Open(ctx, r.PathValue("id"))
	if err == nil && r.Method != http.MethodHead {
		err = file.Record(ctx)
	}
	return file, a.guard.refused(ctx, err)
}
