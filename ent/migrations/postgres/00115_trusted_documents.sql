-- +goose Up
ALTER TABLE identity_client ADD COLUMN trusted_documents text NOT NULL DEFAULT 'OFF' CHECK (trusted_documents IN ('OFF', 'LOG', 'ENFORCE'));
-- GraphQL that programs were built with, by the ids with which they ask for it.
CREATE TABLE identity_document (
    tenant_id bigint NOT NULL REFERENCES tenant (id),
    client_id bigint NOT NULL REFERENCES identity_client (id) ON DELETE CASCADE,
    document_id text NOT NULL,
    body text NOT NULL,
    created_at timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, client_id, document_id)
);
ALTER TABLE identity_document ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON identity_document USING (tenant_id = app_tenant());

-- How often a client used a field, an argument or a type of the schema on a day (UTC).
CREATE TABLE identity_schema_use (
    tenant_id bigint NOT NULL,
    day date NOT NULL,
    client_id text NOT NULL,
    coordinate text NOT NULL,
    requests bigint NOT NULL,
    PRIMARY KEY (tenant_id, day, client_id, coordinate)
);
ALTER TABLE identity_schema_use ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON identity_schema_use USING (tenant_id = app_tenant());

-- +goose Down
DROP TABLE identity_schema_use;
DROP TABLE identity_document;
ALTER TABLE identity_client DROP COLUMN trusted_documents;
