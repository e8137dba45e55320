-- +goose Up
-- The sign-in page is a way that requests come, too. SQLite cannot change a
-- condition, so that the table is made anew; its entries stay as they are.
CREATE TABLE audit_entry_wider (
    tenant_id integer NOT NULL,
    -- From 1, without gaps.
    seq integer NOT NULL,
    at datetime NOT NULL,
    kind text NOT NULL CHECK (kind IN ('WRITE', 'REVEAL')),
    operation text NOT NULL,
    surface text NOT NULL CHECK (surface IN ('GRAPHQL', 'REST', 'SIGN_IN', 'COMMAND_LINE', 'SYSTEM')),
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
    PRIMARY KEY (tenant_id, seq)
);
INSERT INTO audit_entry_wider SELECT * FROM audit_entry;
DROP TABLE audit_entry;
ALTER TABLE audit_entry_wider RENAME TO audit_entry;
CREATE INDEX audit_entry_at ON audit_entry (tenant_id, at, seq);
CREATE INDEX audit_entry_initiator ON audit_entry (tenant_id, initiator, seq);
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
