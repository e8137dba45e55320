-- +goose Up
-- The texts by which agents are found: what their names, codes, numbers, addresses and
-- aliases begin and end with, as writes keep them. Those of the agents that are there, a
-- job adds.
CREATE TABLE agency_agent_key (
    tenant_id integer NOT NULL,
    place integer NOT NULL,
    key text NOT NULL,
    agent_id integer NOT NULL,
    source integer NOT NULL,
    PRIMARY KEY (tenant_id, place, key, agent_id, source)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE agency_agent_key;
