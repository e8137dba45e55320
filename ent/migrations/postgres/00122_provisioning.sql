-- +goose Up
-- What the system that provisions users (SCIM 2.0) calls one, and when it withdrew one:
-- such a user is Pending, and no longer shown to it.
ALTER TABLE identity_user ADD COLUMN external_id text COLLATE "C";
ALTER TABLE identity_user ADD COLUMN withdrawn_at timestamptz;
CREATE UNIQUE INDEX identity_user_external ON identity_user (tenant_id, external_id);

-- +goose Down
DROP INDEX identity_user_external;
ALTER TABLE identity_user DROP COLUMN withdrawn_at;
ALTER TABLE identity_user DROP COLUMN external_id;
