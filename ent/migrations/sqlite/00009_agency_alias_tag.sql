-- +goose Up
CREATE TABLE agency_alias (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    identifier text NOT NULL,
    provider_company text,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, provider_company) REFERENCES agency_provider_company (tenant_id, code)
);
-- An identifier names one agent of a provider company, or of none.
CREATE UNIQUE INDEX agency_alias_identifier ON agency_alias (tenant_id, identifier, coalesce(provider_company, ''));
CREATE INDEX agency_alias_agent ON agency_alias (tenant_id, agent_id, id);
CREATE INDEX agency_alias_provider_company ON agency_alias (tenant_id, provider_company);

CREATE TABLE agency_tag (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    name text NOT NULL,
    description text,
    color text,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, name)
);

CREATE TABLE agency_tag_assignment (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    tag text NOT NULL,
    assigned_at datetime NOT NULL,
    assigned_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, agent_id, tag),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, tag) REFERENCES agency_tag (tenant_id, name)
);
CREATE INDEX agency_tag_assignment_tag ON agency_tag_assignment (tenant_id, tag, agent_id);

-- +goose Down
DROP TABLE agency_tag_assignment;
DROP TABLE agency_tag;
DROP TABLE agency_alias;
