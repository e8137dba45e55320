-- +goose Up
-- After a rotation the secret before it counts, too, until an instant.
ALTER TABLE identity_client ADD COLUMN previous_secret_hash blob;
ALTER TABLE identity_client ADD COLUMN previous_secret_until datetime;
ALTER TABLE identity_client ADD COLUMN expires_at datetime;
ALTER TABLE identity_client ADD COLUMN last_used_at datetime;
ALTER TABLE identity_client ADD COLUMN description text;
CREATE INDEX identity_client_tenant ON identity_client (tenant_id, client_id);

-- A key is a bearer token of a client. Only its hash is stored; whoever brings
-- one has no tenant yet, so that it is looked up by the hash alone.
CREATE TABLE identity_api_key (
    id integer PRIMARY KEY AUTOINCREMENT,
    uid text NOT NULL UNIQUE,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    client_id integer NOT NULL REFERENCES identity_client (id) ON DELETE CASCADE,
    name text NOT NULL,
    hint text NOT NULL,
    key_hash blob NOT NULL UNIQUE,
    scopes text NOT NULL,
    expires_at datetime,
    last_used_at datetime,
    revoked_at datetime,
    created_at datetime NOT NULL,
    created_by text NOT NULL
);
CREATE INDEX identity_api_key_client ON identity_api_key (tenant_id, client_id, id);

-- +goose Down
DROP TABLE identity_api_key;
DROP INDEX identity_client_tenant;
ALTER TABLE identity_client DROP COLUMN description;
ALTER TABLE identity_client DROP COLUMN last_used_at;
ALTER TABLE identity_client DROP COLUMN expires_at;
ALTER TABLE identity_client DROP COLUMN previous_secret_until;
ALTER TABLE identity_client DROP COLUMN previous_secret_hash;
