package model

import "time"

// AuditEntry is an entry of the audit trail: what one request changed or revealed.
type AuditEntry struct {
	Sequence                                 int64
	At                                       time.Time
	Kind                                     AuditKind
	Operation                                string
	Surface                                  AuditSurface
	Initiator, Subject, ClientID, EntityType string
	EntityKeys                               []string
	Changes                                  []*AuditChange
	// Reason is nil for none.
	Reason, TraceID *string
}

// GlobalID is the field id.
func (e *AuditEntry) GlobalID() string { return RowID(AuditEntryNode, e.Sequence) }
