-- +goose Up
-- What else is kept of an import, so that it is found again: imports of before have none of it.
ALTER TABLE bulk_import ADD COLUMN file_name text;
-- SHA-256 of the file alone; digest is also that of the mapping.
ALTER TABLE bulk_import ADD COLUMN file_digest bytea;
-- Who says what the file says, if it was compared.
ALTER TABLE bulk_import ADD COLUMN source text;
-- How it was read, as JSON.
ALTER TABLE bulk_import ADD COLUMN mapping text;
-- The heads of the file, each with its column, as JSON.
ALTER TABLE bulk_import ADD COLUMN heads text;
-- What the file has in a refused row, by column, as JSON; nothing that is sensitive.
ALTER TABLE bulk_import_rejection ADD COLUMN cells text;
CREATE INDEX bulk_import_started ON bulk_import (tenant_id, started_at, key);

-- +goose Down
DROP INDEX bulk_import_started;
ALTER TABLE bulk_import_rejection DROP COLUMN cells;
ALTER TABLE bulk_import DROP COLUMN heads;
ALTER TABLE bulk_import DROP COLUMN mapping;
ALTER TABLE bulk_import DROP COLUMN source;
ALTER TABLE bulk_import DROP COLUMN file_digest;
ALTER TABLE bulk_import DROP COLUMN file_name;
