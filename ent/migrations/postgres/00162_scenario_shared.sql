-- +goose Up
-- Whom scenarios are shared with is kept as it was. Such a row belongs to no agent, so it is marked
-- that it was not there before.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_past_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change_at timestamptz := nullif(current_setting('app.change_at', true), '')::timestamptz;
    image jsonb := to_jsonb(CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END);
BEGIN
    IF change_at IS NULL OR image ->> TG_ARGV[1] IS NULL THEN
        RETURN NULL;
    END IF;
    -- What an agent begins with needs no mark that it was not there before.
    IF TG_OP = 'INSERT' AND TG_ARGV[4] <> '' AND TG_ARGV[0] LIKE 'agency%' AND NOT EXISTS (SELECT 1 FROM agency_agent a
        WHERE a.tenant_id = (image ->> 'tenant_id')::bigint AND a.id = (image ->> 'agent_id')::bigint AND a.created_at < change_at) THEN
        RETURN NULL;
    END IF;
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES ((image ->> TG_ARGV[1])::bigint, TG_ARGV[0], (image ->> TG_ARGV[2])::bigint, coalesce((image ->> TG_ARGV[3])::bigint, 0), change_at,
        (image ->> TG_ARGV[4])::bigint, CASE WHEN TG_OP <> 'INSERT' THEN image - TG_ARGV[5:] END) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER past_row AFTER DELETE ON agency_scenario_role FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_scenario_role', 'tenant_id', 'scenario_id', 'role_id', '');
CREATE TRIGGER past_row_added AFTER INSERT ON agency_scenario_role FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_scenario_role', 'tenant_id', 'scenario_id', 'role_id', '');
CREATE VIEW agency_scenario_role_past WITH (security_invoker = true) AS SELECT p.tenant_id AS tenant_id, p.row_id AS scenario_id, p.part AS role_id, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_scenario_role, p.image) r WHERE p.relation = 'agency_scenario_role' AND p.image IS NOT NULL;

-- +goose Down
DROP VIEW agency_scenario_role_past;
DROP TRIGGER past_row_added ON agency_scenario_role;
DROP TRIGGER past_row ON agency_scenario_role;
DELETE FROM past_row WHERE relation = 'agency_scenario_role';
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_past_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change_at timestamptz := nullif(current_setting('app.change_at', true), '')::timestamptz;
    image jsonb := to_jsonb(CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END);
BEGIN
    IF change_at IS NULL OR image ->> TG_ARGV[1] IS NULL THEN
        RETURN NULL;
    END IF;
    -- What an agent begins with needs no mark that it was not there before.
    IF TG_OP = 'INSERT' AND TG_ARGV[0] LIKE 'agency%' AND NOT EXISTS (SELECT 1 FROM agency_agent a
        WHERE a.tenant_id = (image ->> 'tenant_id')::bigint AND a.id = (image ->> 'agent_id')::bigint AND a.created_at < change_at) THEN
        RETURN NULL;
    END IF;
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES ((image ->> TG_ARGV[1])::bigint, TG_ARGV[0], (image ->> TG_ARGV[2])::bigint, coalesce((image ->> TG_ARGV[3])::bigint, 0), change_at,
        (image ->> TG_ARGV[4])::bigint, CASE WHEN TG_OP <> 'INSERT' THEN image - TG_ARGV[5:] END) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
