-- +goose Up
-- A public client keeps no secret (RFC 6749 §2.1); its secret_hash is empty. People
-- sign in through it, and are sent back to one of its redirect URIs, which are
-- separated by one space.
ALTER TABLE identity_client ADD COLUMN is_public boolean NOT NULL DEFAULT false;
ALTER TABLE identity_client ADD COLUMN redirect_uris text NOT NULL DEFAULT '';

-- Somebody who is signed in, in a browser. The cookie holds the secret, the row
-- its hash; whoever brings one has no tenant yet, so that it is looked up by the
-- hash alone.
CREATE TABLE identity_session (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    user_id integer NOT NULL,
    secret_hash blob NOT NULL UNIQUE,
    created_at datetime NOT NULL,
    last_used_at datetime NOT NULL,
    expires_at datetime NOT NULL,
    FOREIGN KEY (tenant_id, user_id) REFERENCES identity_user (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX identity_session_user ON identity_session (tenant_id, user_id);
CREATE INDEX identity_session_expiry ON identity_session (tenant_id, expires_at);

-- What a user granted to a client: first a code, then the tokens made from it.
-- Ending it, which deletes the row, ends them all. The session it came from may
-- end before it, by its age, so that there is no foreign key.
CREATE TABLE identity_grant (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    user_id integer NOT NULL,
    client_id integer NOT NULL REFERENCES identity_client (id) ON DELETE CASCADE,
    session_id integer NOT NULL,
    scopes text NOT NULL,
    redirect_uri text NOT NULL,
    challenge text NOT NULL,
    code_hash blob NOT NULL UNIQUE,
    code_until datetime NOT NULL,
    code_used_at datetime,
    created_at datetime NOT NULL,
    expires_at datetime NOT NULL,
    FOREIGN KEY (tenant_id, user_id) REFERENCES identity_user (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX identity_grant_user ON identity_grant (tenant_id, user_id);
CREATE INDEX identity_grant_session ON identity_grant (tenant_id, session_id);
CREATE INDEX identity_grant_client ON identity_grant (client_id);
CREATE INDEX identity_grant_expiry ON identity_grant (tenant_id, expires_at);

-- The refresh tokens of a grant, used ones too: one that comes again ends the
-- grant.
CREATE TABLE identity_refresh_token (
    token_hash blob PRIMARY KEY,
    grant_id integer NOT NULL REFERENCES identity_grant (id) ON DELETE CASCADE,
    created_at datetime NOT NULL,
    used_at datetime,
    expires_at datetime NOT NULL
);
CREATE INDEX identity_refresh_token_grant ON identity_refresh_token (grant_id);

-- Attempts to sign in that failed, or have not ended yet, by a keyed hash of the
-- account or the address they are counted for: neither a tenant nor a name that
-- somebody typed is here.
CREATE TABLE identity_attempt (
    key_hash blob PRIMARY KEY,
    failures integer NOT NULL,
    last_at datetime NOT NULL,
    blocked_until datetime
);
CREATE INDEX identity_attempt_last ON identity_attempt (last_at);

-- +goose Down
DROP TABLE identity_attempt;
DROP TABLE identity_refresh_token;
DROP TABLE identity_grant;
DROP TABLE identity_session;
DELETE FROM identity_client WHERE is_public;
ALTER TABLE identity_client DROP COLUMN redirect_uris;
ALTER TABLE identity_client DROP COLUMN is_public;
