-- +goose Up
-- The agency whose agent codes are reused: "also used to find an existing code
-- in the master agency" (Resources, "Agent").
ALTER TABLE tenant ADD COLUMN master_tenant_id bigint;
-- True: sensitive values are masked over REST too, unless the token holds
-- read:agents:sensitive.
ALTER TABLE tenant ADD COLUMN mask_sensitive boolean NOT NULL DEFAULT false;

-- +goose Down
ALTER TABLE tenant DROP COLUMN mask_sensitive;
ALTER TABLE tenant DROP COLUMN master_tenant_id;
