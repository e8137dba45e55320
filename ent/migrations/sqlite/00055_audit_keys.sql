-- +goose Up
-- A page that was shown before, with the same agents, names the entry that has
-- their keys, and repeats none: entity_keys is empty then, and audit_entry_key has
-- no row of it. An entry that others may name has a digest of its keys, to be found
-- by.
ALTER TABLE audit_entry ADD COLUMN keys_of integer;
ALTER TABLE audit_entry ADD COLUMN keys_digest text;
CREATE INDEX audit_entry_keys_of ON audit_entry (tenant_id, keys_of, seq) WHERE keys_of IS NOT NULL;
CREATE INDEX audit_entry_keys_digest ON audit_entry (tenant_id, keys_digest, seq) WHERE keys_digest IS NOT NULL;
-- How far the platform's trail has noted the head.
ALTER TABLE audit_head ADD COLUMN noted_seq integer NOT NULL DEFAULT 0;

-- +goose Down
INSERT INTO audit_entry_key (tenant_id, seq, entity_type, entity_key)
    SELECT e.tenant_id, e.seq, k.entity_type, k.entity_key FROM audit_entry e
    JOIN audit_entry_key k ON k.tenant_id = e.tenant_id AND k.seq = e.keys_of;
DROP TRIGGER audit_entry_no_update;
UPDATE audit_entry SET entity_keys = (SELECT o.entity_keys FROM audit_entry o
    WHERE o.tenant_id = audit_entry.tenant_id AND o.seq = audit_entry.keys_of) WHERE keys_of IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER audit_entry_no_update BEFORE UPDATE ON audit_entry
BEGIN
    SELECT RAISE(ABORT, 'the audit trail is append-only');
END;
-- +goose StatementEnd
DROP INDEX audit_entry_keys_digest;
DROP INDEX audit_entry_keys_of;
ALTER TABLE audit_entry DROP COLUMN keys_digest;
ALTER TABLE audit_entry DROP COLUMN keys_of;
ALTER TABLE audit_head DROP COLUMN noted_seq;
