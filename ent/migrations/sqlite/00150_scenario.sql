-- +goose Up
-- Reorganisations that are thought through before they are made (decision 21).
CREATE TABLE agency_scenario (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    -- The id that clients know.
    uid text NOT NULL,
    name text NOT NULL,
    description text,
    effective_from text NOT NULL,
    -- A JSON list, as text so that it is the same in every database.
    moves text NOT NULL,
    state text NOT NULL CHECK (state IN ('DRAFT', 'APPLIED', 'DISCARDED')),
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid)
);

-- The roles that a scenario is shared with.
CREATE TABLE agency_scenario_role (
    tenant_id integer NOT NULL,
    scenario_id integer NOT NULL,
    role_id integer NOT NULL,
    PRIMARY KEY (tenant_id, scenario_id, role_id),
    FOREIGN KEY (tenant_id, scenario_id) REFERENCES agency_scenario (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, role_id) REFERENCES identity_role (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX agency_scenario_role_role ON agency_scenario_role (tenant_id, role_id);

-- +goose Down
DROP TABLE agency_scenario_role;
DROP TABLE agency_scenario;
