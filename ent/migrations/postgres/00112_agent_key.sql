-- +goose Up
-- The texts by which agents are found: what their names, codes, numbers, addresses and
-- aliases begin and end with, as writes keep them. Those of the agents that are there, a
-- job adds.
CREATE TABLE agency_agent_key (
    tenant_id bigint NOT NULL,
    place bigint NOT NULL,
    key text COLLATE "C" NOT NULL,
    agent_id bigint NOT NULL,
    source bigint NOT NULL,
    PRIMARY KEY (tenant_id, place, key, agent_id, source)
);
ALTER TABLE agency_agent_key ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON agency_agent_key USING (tenant_id = app_tenant());
ALTER TABLE agency_agent_key SET (autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

-- +goose Down
DROP TABLE agency_agent_key;
