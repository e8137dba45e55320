-- +goose Up
-- Access tokens that count no more although they have not expired, by their jti.
-- Whoever brings one has no tenant yet, so they belong to the platform. A row is
-- needed until its token has expired.
CREATE TABLE identity_revoked_token (
    token_id text NOT NULL PRIMARY KEY,
    client_id text NOT NULL,
    expires_at datetime NOT NULL,
    revoked_at datetime NOT NULL
);
CREATE INDEX identity_revoked_token_expires ON identity_revoked_token (expires_at);

-- +goose Down
DROP TABLE identity_revoked_token;
