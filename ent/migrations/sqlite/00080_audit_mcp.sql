-- +goose Up
-- Assistants write through a door of their own. SQLite cannot change a condition, so
-- that the table is made anew; its entries stay as they are.
CREATE TABLE audit_entry_wider (
    tenant_id integer NOT NULL,
    -- From 1, without gaps.
    seq integer NOT NULL,
    at datetime NOT NULL,
    kind text NOT NULL CHECK (kind IN ('WRITE', 'REVEAL')),
    operation text NOT NULL,
    surface text NOT NULL CHECK (surface IN ('GRAPHQL', 'REST', 'MCP', 'SIGN_IN', 'COMMAND_LINE', 'SYSTEM')),
    trace_id text NOT NULL,
    initiator text NOT NULL,
    subject text NOT NULL,
    client_id text NOT NULL,
    entity_type text NOT NULL,
    -- JSON arrays: the keys of the entities, and {field, fingerprint}.
    entity_keys text NOT NULL,
    changes text NOT NULL,
    -- Keyed; of this entry and the hash of the one before.
    hash blob NOT NULL,
    -- The entry that has the keys of this one, and what such an entry is found by.
    keys_of integer,
    keys_digest text,
    PRIMARY KEY (tenant_id, seq)
);
INSERT INTO audit_entry_wider SELECT tenant_id, seq, at, kind, operation, surface, trace_id, initiator, subject, client_id,
    entity_type, entity_keys, changes, hash, keys_of, keys_digest FROM audit_entry;
DROP TABLE audit_entry;
ALTER TABLE audit_entry_wider RENAME TO audit_entry;
CREATE INDEX audit_entry_at ON audit_entry (tenant_id, at, seq);
CREATE INDEX audit_entry_initiator ON audit_entry (tenant_id, initiator, seq);
CREATE INDEX audit_entry_keys_digest ON audit_entry (tenant_id, keys_digest, seq) WHERE keys_digest IS NOT NULL;
CREATE INDEX audit_entry_keys ON audit_entry (tenant_id, coalesce(keys_of, seq), seq);
-- +goose StatementBegin
CREATE TRIGGER audit_entry_no_update BEFORE UPDATE ON audit_entry
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_entry_no_delete BEFORE DELETE ON audit_entry
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd

-- +goose Down
-- The wider condition stays: the trail, which is never changed, may have such
-- entries by now.
SELECT 1;
