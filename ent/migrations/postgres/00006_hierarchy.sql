-- +goose Up
-- One row per team: how far the flattened hierarchy is behind the periods.
CREATE TABLE hierarchy_build (
    tenant_id bigint NOT NULL,
    team_id bigint NOT NULL,
    -- Counts the changes of the hierarchy; raised in the transaction of each.
    changed_version bigint NOT NULL,
    -- The last change that the flattened rows hold.
    built_version bigint NOT NULL,
    -- The day, in the tenant's zone, that the flattened rows are for.
    built_for date,
    status text NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED')),
    queued_at timestamptz NOT NULL,
    started_at timestamptz,
    finished_at timestamptz,
    agent_count bigint,
    relation_count bigint,
    PRIMARY KEY (tenant_id, team_id),
    FOREIGN KEY (tenant_id, team_id) REFERENCES agency_team (tenant_id, id)
);

-- The agents whose upline changed and is not flattened yet.
CREATE TABLE hierarchy_change (
    tenant_id bigint NOT NULL,
    team_id bigint NOT NULL,
    version bigint NOT NULL,
    agent_id bigint NOT NULL,
    PRIMARY KEY (tenant_id, team_id, version, agent_id)
);

-- The hierarchy as it was flattened: one row per agent. No foreign keys here
-- and below: they cost more than the rebuild, and the rows are derived.
CREATE TABLE hierarchy_node (
    tenant_id bigint NOT NULL,
    team_id bigint NOT NULL,
    agent_id bigint NOT NULL,
    upline_agent_id bigint,
    -- 0 for a root.
    depth integer NOT NULL,
    direct_count integer NOT NULL,
    downline_count integer NOT NULL,
    PRIMARY KEY (tenant_id, team_id, agent_id)
);
CREATE INDEX hierarchy_node_upline ON hierarchy_node (tenant_id, team_id, upline_agent_id, agent_id);

-- One row per ancestor and descendant pair; level 1 is a direct report.
CREATE TABLE hierarchy_closure (
    tenant_id bigint NOT NULL,
    team_id bigint NOT NULL,
    ancestor_id bigint NOT NULL,
    descendant_id bigint NOT NULL,
    level integer NOT NULL,
    PRIMARY KEY (tenant_id, team_id, ancestor_id, level, descendant_id)
);
CREATE INDEX hierarchy_closure_descendant ON hierarchy_closure (tenant_id, team_id, descendant_id, level, ancestor_id);

-- +goose Down
DROP TABLE hierarchy_closure;
DROP TABLE hierarchy_node;
DROP TABLE hierarchy_change;
DROP TABLE hierarchy_build;
