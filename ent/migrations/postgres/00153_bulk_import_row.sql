-- +goose Up
-- Which rows of a file a record comes from, for as long as the audit trail says that an
-- import wrote it.
CREATE TABLE bulk_import_row (
    tenant_id bigint NOT NULL REFERENCES tenant (id),
    trace_id text NOT NULL,
    -- As the audit trail has it, such as an agent code.
    entity_key text NOT NULL,
    row_number bigint NOT NULL
);
-- It is not unique: a client may give several imports one trace.
CREATE INDEX bulk_import_row_key ON bulk_import_row (tenant_id, trace_id, entity_key);
ALTER TABLE bulk_import_row ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON bulk_import_row USING (tenant_id = app_tenant());

-- +goose Down
DROP TABLE bulk_import_row;
