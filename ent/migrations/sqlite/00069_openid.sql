-- +goose Up
-- What an ID token says of the sign-in (OpenID Connect Core §2): the nonce of the
-- request for the code, empty for none, and when the person signed in, which the
-- session, that may be gone by then, knew. Grants of before ask for no ID token.
ALTER TABLE identity_grant ADD COLUMN nonce text NOT NULL DEFAULT '';
ALTER TABLE identity_grant ADD COLUMN signed_in_at datetime;

-- +goose Down
ALTER TABLE identity_grant DROP COLUMN signed_in_at;
ALTER TABLE identity_grant DROP COLUMN nonce;
