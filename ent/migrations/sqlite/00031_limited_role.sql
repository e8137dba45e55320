-- +goose Up
-- Users with the role see the agent that they are, and its downline, only. Of a
-- system role the program says it, as its scopes.
ALTER TABLE identity_role ADD COLUMN limited_to_downline boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE identity_role DROP COLUMN limited_to_downline;
