-- +goose Up
-- How many agents each tenant has, so that a page of them tells its total without
-- counting: a few rows to be summed, of which a connection changes one, so that writers
-- seldom wait for each other. The statements that add and remove agents keep them.
-- Servers may go on meanwhile: whoever adds or removes an agent waits for the triggers.
LOCK TABLE agency_agent IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE agency_agent_count (
    tenant_id bigint NOT NULL REFERENCES tenant (id),
    slot bigint NOT NULL,
    agents bigint NOT NULL,
    PRIMARY KEY (tenant_id, slot)
) WITH (fillfactor = 50);
INSERT INTO agency_agent_count (tenant_id, slot, agents) SELECT tenant_id, 0, count(*) FROM agency_agent GROUP BY tenant_id;
-- +goose StatementBegin
CREATE FUNCTION agency_agent_counted() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO agency_agent_count AS c (tenant_id, slot, agents)
        SELECT tenant_id, pg_backend_pid() % 32, CASE TG_OP WHEN 'INSERT' THEN count(*) ELSE -count(*) END FROM changed GROUP BY tenant_id ORDER BY tenant_id
        ON CONFLICT (tenant_id, slot) DO UPDATE SET agents = c.agents + excluded.agents;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER agency_agent_added AFTER INSERT ON agency_agent
    REFERENCING NEW TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION agency_agent_counted();
CREATE TRIGGER agency_agent_removed AFTER DELETE ON agency_agent
    REFERENCING OLD TABLE AS changed FOR EACH STATEMENT EXECUTE FUNCTION agency_agent_counted();

-- +goose Down
DROP TRIGGER agency_agent_removed ON agency_agent;
DROP TRIGGER agency_agent_added ON agency_agent;
DROP FUNCTION agency_agent_counted();
DROP TABLE agency_agent_count;
