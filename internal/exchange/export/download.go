package export

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/exchange/sheet"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// DownloadPath is where files are downloaded; below it follow the tenant and the export.
const DownloadPath = "/exports/"

// URLOf returns the URL of the file of an export; nil when there is no file.
func (s *Service) URLOf(ctx context.Context, e *Export) *string {
	if e.Status != Completed || !s.Clock.Now().Before(*e.ExpiresAt) {
		return nil
	}
	url := strings.TrimSuffix(s.URL, "/") + DownloadPath + tenant.From(ctx).Identifier + "/" + e.UID
	return &url
}

// Download is a file that can be downloaded.
type Download struct {
	*Export
	// Name is the file name to offer, and MediaType its media type.
	Name, MediaType string
	service         *Service
	tenantID        int64
}

// Open returns the file of an export that the context's caller asked for and may still
// see: the caller holds all scopes that the query takes, and has the limit that the file
// was written with. Otherwise it returns a problem.
func (s *Service) Open(ctx context.Context, uid string) (*Download, error) {
	key, ok := check.UUID(uid)
	if !ok {
		return nil, unknown()
	}
	e, err := s.own(ctx, "e.uid = $2", key)
	if err != nil {
		return nil, err
	}
	if e == nil || s.URLOf(ctx, e) == nil {
		return nil, unknown()
	}
	var (
		scopes  string
		reveals bool
	)
	t := tenant.From(ctx)
	found, err := store.One(ctx, s.Store, []any{&scopes, &reveals}, "SELECT e.scopes, e.reveals FROM export e WHERE e.tenant_id = $1 AND e.id = $2", t.ID, e.ID)
	if err != nil || !found {
		return nil, err
	}
	caller, _ := tenant.CallerFrom(ctx)
	if err := holds(caller, strings.Fields(scopes)); err != nil {
		return nil, err
	}
	if reveals && !tenant.MayReveal(ctx) || !same(caller.Within, e.limit) {
		return nil, &problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Message: "The caller may see less now than when the file was written: export it again"}
	}
	extension, mediaType := sheet.File(e.Format)
	name := strings.ReplaceAll(e.ConnectionPath, ".", "-") + "-" + e.OnDate.String() + extension
	return &Download{Export: e, Name: name, MediaType: mediaType, service: s, tenantID: t.ID}, nil
}

func same(a, b *int64) bool { return a == b || a != nil && b != nil && *a == *b }

// Record writes the audit entry of a download. Call it before the first byte is sent.
func (d *Download) Record(ctx context.Context) error {
	return d.service.write(ctx, func(_ context.Context, w *change.Writing) error {
		w.Changed("Export", d.UID, "file")
		return nil
	})
}

// WriteTo writes the file, a chunk at a time; wrote is called after each.
func (d *Download) WriteTo(ctx context.Context, w io.Writer, wrote func()) error {
	left := *d.Size
	for number := 0; left > 0; number++ {
		var sealed []byte
		found, err := store.One(ctx, d.service.Store, []any{&sealed}, "SELECT c.data FROM export_chunk c WHERE c.tenant_id = $1 AND c.export_id = $2 AND c.number = $3", d.tenantID, d.ID, number)
		if err != nil {
			return err
		}
		if !found {
			return fmt.Errorf("export: chunk %d of %s is missing", number, d.UID)
		}
		chunk, err := d.service.Vault.Decrypt(ctx, chunkField(d.tenantID, d.UID, number), sealed)
		if err != nil {
			return err
		}
		if _, err := io.WriteString(w, chunk); err != nil {
			return err
		}
		left -= len(chunk)
		wrote()
	}
	return nil
}
