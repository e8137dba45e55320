-- +goose Up
-- A user whom the system that provisions users (SCIM 2.0) deletes is deleted. Until now the
-- row stayed, and kept its e-mail address from everybody else. What such users were is kept
-- as of any other change.
SELECT set_config('app.change_at', now()::text, true);
DELETE FROM identity_user WHERE withdrawn_at IS NOT NULL;
SELECT set_config('app.change_at', '', true);
-- Whose a scenario is. Names of users change, and one may become another person's; so it is
-- the id of the user, which no other gets. NULL for a client.
ALTER TABLE agency_scenario ADD COLUMN owner_id bigint;
UPDATE agency_scenario SET owner_id = (SELECT u.id FROM identity_user u WHERE u.tenant_id = agency_scenario.tenant_id AND u.username = agency_scenario.created_by);

-- +goose Down
ALTER TABLE agency_scenario DROP COLUMN owner_id;
