-- +goose Up
-- Whom scenarios are shared with is kept as it was.
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_role_past_removed AFTER DELETE ON agency_scenario_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_scenario_role', OLD.scenario_id, OLD.role_id, (SELECT at FROM change_clock), NULL, json_object()) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_role_past_added AFTER INSERT ON agency_scenario_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (NEW.tenant_id, 'agency_scenario_role', NEW.scenario_id, NEW.role_id, (SELECT at FROM change_clock), NULL, NULL) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_scenario_role_past AS SELECT p.tenant_id AS tenant_id, p.row_id AS scenario_id, p.part AS role_id, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_scenario_role' AND p.image IS NOT NULL;

-- +goose Down
DROP VIEW agency_scenario_role_past;
DROP TRIGGER agency_scenario_role_past_removed;
DROP TRIGGER agency_scenario_role_past_added;
DELETE FROM past_row WHERE relation = 'agency_scenario_role';
