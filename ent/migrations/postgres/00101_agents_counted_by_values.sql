-- +goose Up
-- Citus counts on the server that has the tenant's agents, where a statement cannot hand
-- the changed rows on to a table that is spread itself; the sums of them it can.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION agency_agent_counted() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    of record;
BEGIN
    FOR of IN SELECT tenant_id, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END AS agents FROM changed GROUP BY tenant_id ORDER BY tenant_id
    LOOP
        INSERT INTO agency_agent_count AS c (tenant_id, slot, agents) VALUES (of.tenant_id, pg_backend_pid() % 32, of.agents)
            ON CONFLICT (tenant_id, slot) DO UPDATE SET agents = c.agents + excluded.agents;
    END LOOP;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION agency_agent_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO agency_agent_count AS c (tenant_id, slot, agents)
        SELECT tenant_id, pg_backend_pid() % 32, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed GROUP BY tenant_id ORDER BY tenant_id
        ON CONFLICT (tenant_id, slot) DO UPDATE SET agents = c.agents + excluded.agents;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
