-- +goose Up
-- Settings and clients have a version, too, so that two who change one at the same time
-- do not overwrite each other. Until now nobody noted when one was changed. SQLite adds
-- no column whose default is the present; only servers of the version before use it.
ALTER TABLE tenant ADD COLUMN last_modified datetime NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
UPDATE tenant SET last_modified = created_at;
ALTER TABLE identity_client ADD COLUMN last_modified datetime NOT NULL DEFAULT '1970-01-01 00:00:00+00:00';
UPDATE identity_client SET last_modified = created_at;

-- +goose Down
ALTER TABLE identity_client DROP COLUMN last_modified;
ALTER TABLE tenant DROP COLUMN last_modified;
