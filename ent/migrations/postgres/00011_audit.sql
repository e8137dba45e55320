-- +goose Up
-- The end of each tenant's chain of entries. Whoever appends locks this row.
-- These tables have no foreign keys: every write of the tenant passes here, and
-- the chain shows what is missing.
CREATE TABLE audit_head (
    tenant_id bigint PRIMARY KEY,
    seq bigint NOT NULL,
    hash bytea NOT NULL
);

CREATE TABLE audit_entry (
    tenant_id bigint NOT NULL,
    -- From 1, without gaps.
    seq bigint NOT NULL,
    at timestamptz NOT NULL,
    kind text NOT NULL CHECK (kind IN ('WRITE', 'REVEAL')),
    operation text NOT NULL,
    surface text NOT NULL CHECK (surface IN ('GRAPHQL', 'REST', 'COMMAND_LINE', 'SYSTEM')),
    trace_id text NOT NULL,
    initiator text COLLATE "C" NOT NULL,
    subject text NOT NULL,
    client_id text NOT NULL,
    entity_type text COLLATE "C" NOT NULL,
    -- JSON arrays: the keys of the entities, and {field, fingerprint}.
    entity_keys text NOT NULL,
    changes text NOT NULL,
    -- Keyed; of this entry and the hash of the one before.
    hash bytea NOT NULL,
    PRIMARY KEY (tenant_id, seq)
);
CREATE INDEX audit_entry_at ON audit_entry (tenant_id, at, seq);
CREATE INDEX audit_entry_initiator ON audit_entry (tenant_id, initiator, seq);

-- The keys of an entry once more, one in a row, to find entries by entity.
CREATE TABLE audit_entry_key (
    tenant_id bigint NOT NULL,
    seq bigint NOT NULL,
    entity_type text COLLATE "C" NOT NULL,
    entity_key text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant_id, seq, entity_key)
);
CREATE INDEX audit_entry_key_entity ON audit_entry_key (tenant_id, entity_type, entity_key, seq);

-- Entries are only ever added. This stops a slip, not whoever owns the tables;
-- what gets around it shows in the chain.
-- +goose StatementBegin
CREATE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'the audit trail is append-only';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry
    FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only();
CREATE TRIGGER audit_entry_key_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry_key
    FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only();

-- +goose Down
DROP TABLE audit_entry_key;
DROP TABLE audit_entry;
DROP TABLE audit_head;
DROP FUNCTION audit_append_only();
