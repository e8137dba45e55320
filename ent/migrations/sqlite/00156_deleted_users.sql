-- +goose Up
-- A user whom the system that provisions users (SCIM 2.0) deletes is deleted. Until now the
-- row stayed, and kept its e-mail address from everybody else. What such users were is kept
-- as of any other change.
UPDATE change_clock SET at = strftime('%Y-%m-%d %H:%M:%f', 'now') || '+00:00';
DELETE FROM identity_user WHERE withdrawn_at IS NOT NULL;
UPDATE change_clock SET at = NULL;
-- Whose a scenario is. Names of users change, and one may become another person's; so it is
-- the id of the user, which no other gets. NULL for a client.
ALTER TABLE agency_scenario ADD COLUMN owner_id integer;
UPDATE agency_scenario SET owner_id = (SELECT u.id FROM identity_user u WHERE u.tenant_id = agency_scenario.tenant_id AND u.username = agency_scenario.created_by);

-- +goose Down
ALTER TABLE agency_scenario DROP COLUMN owner_id;
