-- +goose Up
-- Whether people of the agency sign in with passwords, too, and not with its providers
-- alone.
ALTER TABLE tenant ADD COLUMN password_sign_in boolean NOT NULL DEFAULT true;

-- An OpenID provider with which people of the agency sign in.
CREATE TABLE identity_provider (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    name text NOT NULL,
    label text NOT NULL,
    issuer text NOT NULL,
    client_id text NOT NULL,
    client_secret blob,
    domains text NOT NULL,
    groups_claim text NOT NULL,
    creates_users boolean NOT NULL,
    is_disabled boolean NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, name)
);

-- Which role a group at a provider gives.
CREATE TABLE identity_provider_role (
    tenant_id integer NOT NULL,
    provider_id integer NOT NULL,
    group_name text NOT NULL,
    role_id integer NOT NULL,
    PRIMARY KEY (tenant_id, provider_id, group_name, role_id),
    FOREIGN KEY (tenant_id, provider_id) REFERENCES identity_provider (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, role_id) REFERENCES identity_role (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX identity_provider_role_role ON identity_provider_role (tenant_id, role_id);

-- Who a subject of a provider is to us.
CREATE TABLE identity_provider_user (
    tenant_id integer NOT NULL,
    provider_id integer NOT NULL,
    subject text NOT NULL,
    user_id integer NOT NULL,
    created_at datetime NOT NULL,
    PRIMARY KEY (tenant_id, provider_id, subject),
    UNIQUE (tenant_id, provider_id, user_id),
    FOREIGN KEY (tenant_id, provider_id) REFERENCES identity_provider (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, user_id) REFERENCES identity_user (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX identity_provider_user_user ON identity_provider_user (tenant_id, user_id);

-- A sign-in under way: the browser that began it, and where it goes on.
CREATE TABLE identity_provider_request (
    tenant_id integer NOT NULL,
    state_hash blob NOT NULL,
    provider_id integer NOT NULL,
    browser_hash blob NOT NULL,
    target text NOT NULL,
    expires_at datetime NOT NULL,
    PRIMARY KEY (tenant_id, state_hash),
    FOREIGN KEY (tenant_id, provider_id) REFERENCES identity_provider (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX identity_provider_request_expiry ON identity_provider_request (tenant_id, expires_at);

-- The provider that began a session, with its own name for the session, and what was
-- granted from it; NULL for a password.
ALTER TABLE identity_session ADD COLUMN provider_id integer;
ALTER TABLE identity_session ADD COLUMN provider_sid text;
CREATE INDEX identity_session_provider ON identity_session (tenant_id, provider_id);
ALTER TABLE identity_grant ADD COLUMN provider_id integer;
ALTER TABLE identity_grant ADD COLUMN provider_sid text;
CREATE INDEX identity_grant_provider ON identity_grant (tenant_id, provider_id);

-- +goose Down
DROP INDEX identity_grant_provider;
ALTER TABLE identity_grant DROP COLUMN provider_sid;
ALTER TABLE identity_grant DROP COLUMN provider_id;
DROP INDEX identity_session_provider;
ALTER TABLE identity_session DROP COLUMN provider_sid;
ALTER TABLE identity_session DROP COLUMN provider_id;
DROP TABLE identity_provider_request;
DROP TABLE identity_provider_user;
DROP TABLE identity_provider_role;
DROP TABLE identity_provider;
ALTER TABLE tenant DROP COLUMN password_sign_in;
