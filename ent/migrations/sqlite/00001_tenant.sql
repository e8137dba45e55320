-- +goose Up
CREATE TABLE tenant (
    id integer PRIMARY KEY AUTOINCREMENT,
    identifier text NOT NULL UNIQUE,
    name text NOT NULL,
    time_zone text NOT NULL,
    default_page_size integer NOT NULL,
    max_page_size integer NOT NULL,
    created_at datetime NOT NULL,
    -- "default and maximum set per tenant; typically 50, never more than 100" (Limits)
    CHECK (default_page_size BETWEEN 1 AND max_page_size AND max_page_size <= 100),
    -- The path /business-insights/report-recipes carries no tenant.
    CHECK (identifier <> 'report-recipes')
);

-- tenant_id 0 is the platform's own keyset, so there is no foreign key.
CREATE TABLE tenant_keyset (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL UNIQUE,
    wrapped blob NOT NULL
);

-- The last agent code given out; see internal/agency.
CREATE TABLE tenant_agent_code (
    tenant_id integer PRIMARY KEY REFERENCES tenant (id),
    last_number integer NOT NULL
);

CREATE TABLE identity_client (
    id integer PRIMARY KEY AUTOINCREMENT,
    client_id text NOT NULL UNIQUE,
    tenant_id integer REFERENCES tenant (id),
    secret_hash blob NOT NULL,
    scopes text NOT NULL,
    is_disabled boolean NOT NULL,
    created_at datetime NOT NULL
);

CREATE TABLE identity_signing_key (
    id integer PRIMARY KEY AUTOINCREMENT,
    kid text NOT NULL UNIQUE,
    algorithm text NOT NULL,
    public_key blob NOT NULL,
    private_key blob NOT NULL,
    created_at datetime NOT NULL
);

-- +goose Down
DROP TABLE identity_signing_key;
DROP TABLE identity_client;
DROP TABLE tenant_agent_code;
DROP TABLE tenant_keyset;
DROP TABLE tenant;
