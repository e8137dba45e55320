package model

import "github.com/uplinehq/upline/internal/exchange/export"

// Export is a connection that is written to a file.
type Export struct{ *export.Export }

// IsNode names the interface of the GraphQL type.
func (Export) IsNode() {}

// GlobalID is the field id.
func (e Export) GlobalID() string { return RowID(ExportNode, e.ID) }

// Status is the state of the export.
func (e Export) Status() JobStatus { return JobStatus(e.Export.Status) }

// Format is the format of the file.
func (e Export) Format() ExportFormat { return ExportFormat(e.Export.Format) }
