package model

import (
	"encoding/json"

	"github.com/uplinehq/upline/internal/exchange/bulkimport"
)

// BulkImportDone is an import that is kept.
type BulkImportDone struct{ *bulkimport.Done }

// Entity says what its rows are.
func (d *BulkImportDone) Entity() BulkEntity { return BulkEntity(d.Done.Entity) }

// ErrorPolicy says what happened to the other rows when one was refused.
func (d *BulkImportDone) ErrorPolicy() BulkErrorPolicy { return BulkErrorPolicy(d.Policy) }

// Mapping is how the file was read; nil if that is not known.
func (d *BulkImportDone) Mapping() json.RawMessage { return d.Done.Mapping }

// Headers are the heads of the file.
func (d *BulkImportDone) Headers() []string {
	heads := make([]string, len(d.Heads))
	for i, h := range d.Heads {
		heads[i] = h.Name
	}
	return heads
}
