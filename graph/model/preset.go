package model

import (
	"encoding/json"

	"github.com/uplinehq/upline/internal/identity/preset"
)

// Preset is what somebody arranged and keeps under a name.
type Preset struct{ *preset.Preset }

// IsAudited names the interface of the GraphQL type.
func (Preset) IsAudited() {}

// ID is the id that clients use.
func (p *Preset) ID() string { return p.UID }

// Kind says what it arranges.
func (p *Preset) Kind() PresetKind { return PresetKind(p.Preset.Kind) }

// Content is the content as it was stored.
func (p *Preset) Content() json.RawMessage { return p.Preset.Content }
