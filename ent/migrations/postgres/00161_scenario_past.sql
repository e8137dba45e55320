-- +goose Up
-- Scenarios are kept as they were, so that what a change of one did is known and can be taken back.
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF uid, name, description, effective_from, moves, state, owner_id ON agency_scenario FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_scenario', 'tenant_id', 'id', '', '');
CREATE VIEW agency_scenario_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.uid, r.name, r.description, r.effective_from, r.moves, r.state, r.created_at, r.created_by, r.last_modified, r.last_modified_by, r.owner_id, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_scenario, p.image) r WHERE p.relation = 'agency_scenario' AND p.image IS NOT NULL;

-- +goose Down
DROP VIEW agency_scenario_past;
DROP TRIGGER past_row ON agency_scenario;
DELETE FROM past_row WHERE relation = 'agency_scenario';
