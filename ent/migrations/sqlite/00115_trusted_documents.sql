-- +goose Up
ALTER TABLE identity_client ADD COLUMN trusted_documents text NOT NULL DEFAULT 'OFF' CHECK (trusted_documents IN ('OFF', 'LOG', 'ENFORCE'));
-- GraphQL that programs were built with, by the ids with which they ask for it.
CREATE TABLE identity_document (
    tenant_id integer NOT NULL REFERENCES tenant (id),
    client_id integer NOT NULL REFERENCES identity_client (id) ON DELETE CASCADE,
    document_id text NOT NULL,
    body text NOT NULL,
    created_at datetime NOT NULL,
    PRIMARY KEY (tenant_id, client_id, document_id)
) WITHOUT ROWID;

-- How often a client used a field, an argument or a type of the schema on a day (UTC).
CREATE TABLE identity_schema_use (
    tenant_id integer NOT NULL,
    day text NOT NULL,
    client_id text NOT NULL,
    coordinate text NOT NULL,
    requests integer NOT NULL,
    PRIMARY KEY (tenant_id, day, client_id, coordinate)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE identity_schema_use;
DROP TABLE identity_document;
ALTER TABLE identity_client DROP COLUMN trusted_documents;
