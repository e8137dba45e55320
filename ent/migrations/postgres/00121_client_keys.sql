-- +goose Up
-- The public keys of a client that authenticates with a signed assertion instead of a
-- secret (RFC 7523 §2.2), as a JSON Web Key Set; empty for none.
ALTER TABLE identity_client ADD COLUMN public_keys text NOT NULL DEFAULT '';

-- +goose Down
ALTER TABLE identity_client DROP COLUMN public_keys;
