-- +goose Up
-- Scenarios are kept as they were, so that what a change of one did is known and can be taken back.
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_past_changed AFTER UPDATE OF uid, name, description, effective_from, moves, state, owner_id ON agency_scenario WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_scenario', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'name', OLD.name, 'description', OLD.description, 'effective_from', OLD.effective_from, 'moves', OLD.moves, 'state', OLD.state, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'owner_id', OLD.owner_id)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_past_removed AFTER DELETE ON agency_scenario WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_scenario', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'name', OLD.name, 'description', OLD.description, 'effective_from', OLD.effective_from, 'moves', OLD.moves, 'state', OLD.state, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'owner_id', OLD.owner_id)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_scenario_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'uid' AS uid, p.image ->> 'name' AS name, p.image ->> 'description' AS description, p.image ->> 'effective_from' AS effective_from, p.image ->> 'moves' AS moves, p.image ->> 'state' AS state, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, CAST(p.image ->> 'owner_id' AS integer) AS owner_id, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_scenario' AND p.image IS NOT NULL;

-- +goose Down
DROP VIEW agency_scenario_past;
DROP TRIGGER agency_scenario_past_changed;
DROP TRIGGER agency_scenario_past_removed;
DELETE FROM past_row WHERE relation = 'agency_scenario';
