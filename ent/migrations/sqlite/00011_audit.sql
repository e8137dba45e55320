-- +goose Up
-- The end of each tenant's chain of entries. Whoever appends locks this row.
-- These tables have no foreign keys: every write of the tenant passes here, and
-- the chain shows what is missing.
CREATE TABLE audit_head (
    tenant_id integer PRIMARY KEY,
    seq integer NOT NULL,
    hash blob NOT NULL
);

CREATE TABLE audit_entry (
    tenant_id integer NOT NULL,
    -- From 1, without gaps.
    seq integer NOT NULL,
    at datetime NOT NULL,
    kind text NOT NULL CHECK (kind IN ('WRITE', 'REVEAL')),
    operation text NOT NULL,
    surface text NOT NULL CHECK (surface IN ('GRAPHQL', 'REST', 'COMMAND_LINE', 'SYSTEM')),
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
CREATE INDEX audit_entry_at ON audit_entry (tenant_id, at, seq);
CREATE INDEX audit_entry_initiator ON audit_entry (tenant_id, initiator, seq);

-- The keys of an entry once more, one in a row, to find entries by entity.
CREATE TABLE audit_entry_key (
    tenant_id integer NOT NULL,
    seq integer NOT NULL,
    entity_type text NOT NULL,
    entity_key text NOT NULL,
    PRIMARY KEY (tenant_id, seq, entity_key)
);
CREATE INDEX audit_entry_key_entity ON audit_entry_key (tenant_id, entity_type, entity_key, seq);

-- Entries are only ever added. This stops a slip, not whoever has the file;
-- what gets around it shows in the chain.
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
-- +goose StatementBegin
CREATE TRIGGER audit_entry_key_no_update BEFORE UPDATE ON audit_entry_key
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER audit_entry_key_no_delete BEFORE DELETE ON audit_entry_key
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE audit_entry_key;
DROP TABLE audit_entry;
DROP TABLE audit_head;
