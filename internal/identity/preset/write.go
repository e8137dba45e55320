package preset

import (
	"bytes"
	"context"
	"encoding/json"
	"strings"

	"github.com/google/uuid"

	"github.com/uplinehq/upline/internal/check"
	"github.com/uplinehq/upline/internal/platform/change"
	"github.com/uplinehq/upline/internal/platform/store/dberror"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// Input is everything that a caller writes of a preset.
type Input struct {
	// Subject is what a new preset is for; one that is there keeps its own.
	Subject  string
	Name     string
	Content  map[string]any
	IsShared bool
}

const (
	presetEntity = "Preset"
	// maxName limits names and subjects, in characters, and maxContent a content, in bytes.
	maxName    = 100
	maxContent = 64 << 10
	// maxPresets is how many of a kind somebody keeps.
	maxPresets = 200
	// shareScope is the scope that presets of everybody need, as do recipes of everybody.
	shareScope = "write:recipes"
)

// check normalises an input and returns it with the text of its content. Everything wrong
// is reported together.
func (in Input) check() (Input, []byte, error) {
	var refused check.Problems
	in.Name = refused.Name(in.Name, maxName, "name")
	refused.Line(in.Subject, maxName, "subject")
	text, err := json.Marshal(in.Content)
	if err != nil {
		return in, nil, err
	}
	if len(text) > maxContent {
		refused.Add(problem.Invalid(problem.TooLong, "must not be larger than 64 KiB", "content").With("max", maxContent))
	}
	return in, text, refused.Err()
}

// mayShare refuses callers who may not write what everybody has, by the field that says so.
func mayShare(c tenant.Caller, field string) error {
	if c.HasScope(shareScope) && c.Within == nil {
		return nil
	}
	return &problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Field: []string{field},
		Message: "Presets of everybody need the scope " + shareScope + ", without a limit to a downline", Scope: shareScope}
}

// owner is whose a preset is; nil for everybody's.
func owner(c tenant.Caller, isShared bool) *int64 {
	if isShared {
		return nil
	}
	return &c.UserID
}

// write runs a change of somebody's presets.
func (s *Service) write(ctx context.Context, f func(ctx context.Context, w *change.Writing, c tenant.Caller) error) error {
	caller, _ := tenant.CallerFrom(ctx)
	if caller.UserID == 0 {
		return &problem.Error{Category: problem.Forbidden, Code: problem.ForbiddenCode, Message: "Presets belong to people: a client that acts for itself keeps none"}
	}
	return s.writer.Write(ctx, caller.Subject, func(ctx context.Context, w *change.Writing) error { return f(ctx, w, caller) })
}

// Create keeps a preset. It is refused if the caller, or everybody, has one of
// that name.
func (s *Service) Create(ctx context.Context, kind Kind, in Input) (made *Preset, err error) {
	in, content, err := in.check()
	if err != nil {
		return nil, err
	}
	err = s.write(ctx, func(ctx context.Context, w *change.Writing, c tenant.Caller) error {
		if in.IsShared {
			if err := mayShare(c, "isShared"); err != nil {
				return err
			}
		}
		if err := room(ctx, w, kind, owner(c, in.IsShared)); err != nil {
			return err
		}
		uid := uuid.Must(uuid.NewV7()).String()
		if _, err := w.Insert(ctx, "identity_preset", []string{"tenant_id", "uid", "user_id", "kind", "subject", "name", "name_key", "content", "created_at", "created_by", "last_modified", "last_modified_by"},
			w.Tenant.ID, uid, owner(c, in.IsShared), kind, in.Subject, in.Name, nameKey(in.Name), string(content), w.Now, w.Initiator, w.Now, w.Initiator); err != nil {
			return nameTaken(err)
		}
		w.Changed(presetEntity, uid, "content", "isShared", "name")
		made, err = read(ctx, w, uid, "")
		return err
	})
	return made, err
}

// room refuses one more when somebody, or everybody, has all that are kept.
func room(ctx context.Context, w *change.Writing, kind Kind, owner *int64) error {
	return change.Below(ctx, w, maxPresets, "At most 200 presets of a kind are kept", "SELECT count(*) FROM identity_preset WHERE tenant_id = $1 AND kind = $2 AND user_id IS NOT DISTINCT FROM $3", w.Tenant.ID, kind, owner)
}

// nameKey is the form in which names are unique: they differ by more than the case of
// letters.
func nameKey(name string) string { return strings.ToLower(name) }

func nameTaken(err error) error {
	if dberror.IsUniqueViolation(err, "identity_preset_name", "identity_preset_name") {
		return problem.Clash(problem.DuplicateKey, "Another preset has this name", "name")
	}
	return err
}

// Replace replaces the name, the content and the owner of a preset. changed is false if it
// was the same; then nothing is written.
func (s *Service) Replace(ctx context.Context, uid string, in Input) (p *Preset, changed bool, err error) {
	in, content, err := in.check()
	if err != nil {
		return nil, false, err
	}
	err = s.write(ctx, func(ctx context.Context, w *change.Writing, c tenant.Caller) error {
		if p, err = lock(ctx, w, c, uid, in.IsShared); err != nil {
			return err
		}
		fields := p.differs(in, content)
		if changed = len(fields) > 0; !changed {
			return nil
		}
		if in.IsShared != p.IsShared {
			if err := room(ctx, w, p.Kind, owner(c, in.IsShared)); err != nil {
				return err
			}
		}
		if _, err := w.Exec(ctx, "UPDATE identity_preset SET user_id = $1, name = $2, name_key = $3, content = $4, last_modified = $5, last_modified_by = $6 WHERE tenant_id = $7 AND id = $8",
			owner(c, in.IsShared), in.Name, nameKey(in.Name), string(content), w.Now, w.Initiator, w.Tenant.ID, p.ID); err != nil {
			return nameTaken(err)
		}
		w.Changed(presetEntity, p.UID, fields...)
		p, err = read(ctx, w, uid, "")
		return err
	})
	return p, changed, err
}

// differs returns the names of the fields in which an input differs.
func (p *Preset) differs(in Input, content []byte) (fields []string) {
	if !bytes.Equal(content, p.Content) {
		fields = append(fields, "content")
	}
	if in.IsShared != p.IsShared {
		fields = append(fields, "isShared")
	}
	if in.Name != p.Name {
		fields = append(fields, "name")
	}
	return fields
}

// Delete forgets a preset.
func (s *Service) Delete(ctx context.Context, uid string) error {
	return s.write(ctx, func(ctx context.Context, w *change.Writing, c tenant.Caller) error {
		p, err := lock(ctx, w, c, uid, false)
		if err != nil {
			return err
		}
		w.Changed(presetEntity, p.UID)
		_, err = w.Exec(ctx, "DELETE FROM identity_preset WHERE tenant_id = $1 AND id = $2", w.Tenant.ID, p.ID)
		return err
	})
}

// lock reads and locks a preset that is about to change. What is everybody's, before or
// after, needs the right to share.
func lock(ctx context.Context, w *change.Writing, c tenant.Caller, uid string, toShare bool) (*Preset, error) {
	p, err := read(ctx, w, uid, w.ForUpdate())
	if err == nil && p == nil {
		err = problem.Missing(problem.NotFoundCode, "No preset has this id", "id")
	}
	if err == nil && p.IsShared {
		err = mayShare(c, "id")
	} else if err == nil && toShare {
		err = mayShare(c, "isShared")
	}
	if err != nil {
		return nil, err
	}
	return p, w.CheckVersion(ctx, p.LastModified)
}
