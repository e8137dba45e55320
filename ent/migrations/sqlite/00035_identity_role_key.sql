-- +goose Up
-- Names of roles that differ in the case of letters alone would be one to people:
-- they are unique by a key. Names with other letters than ASCII get theirs in the
-- next migration. Of names that were one already the later keeps a key of its own;
-- no name has a slash.
ALTER TABLE identity_role ADD COLUMN name_key text NOT NULL DEFAULT '';
UPDATE identity_role SET name_key = lower(name);
UPDATE identity_role SET name_key = name_key || '/' || id WHERE EXISTS (SELECT 1 FROM identity_role o
    WHERE o.tenant_id = identity_role.tenant_id AND o.name_key = identity_role.name_key AND o.id < identity_role.id);
CREATE UNIQUE INDEX identity_role_name ON identity_role (tenant_id, name_key);

-- +goose Down
DROP INDEX identity_role_name;
ALTER TABLE identity_role DROP COLUMN name_key;
