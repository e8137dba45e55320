-- +goose Up
-- Which write an entry is of, since clients choose traces: a random number that the entries
-- of a transaction share, and those of all transactions of an import. Entries from before
-- have none.
ALTER TABLE audit_entry ADD COLUMN write_id bigint;
CREATE INDEX audit_entry_write ON audit_entry (tenant_id, write_id, seq) WHERE write_id IS NOT NULL;
ALTER TABLE bulk_import ADD COLUMN write_id bigint;

-- +goose Down
ALTER TABLE bulk_import DROP COLUMN write_id;
DROP INDEX audit_entry_write;
ALTER TABLE audit_entry DROP COLUMN write_id;
