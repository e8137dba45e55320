-- +goose Up

CREATE TABLE agency_team (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    name text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, name)
);

CREATE TABLE agency_certification_type (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    code text NOT NULL,
    name text NOT NULL,
    description text,
    category text NOT NULL CHECK (category IN ('LICENSE', 'APPOINTMENT', 'TRAINING', 'OTHER')),
    requires_jurisdiction boolean NOT NULL,
    requires_provider_company boolean NOT NULL,
    is_enabled boolean NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, code)
);

CREATE TABLE agency_jurisdiction (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    code text NOT NULL,
    name text NOT NULL,
    country text NOT NULL,
    kind text NOT NULL,
    is_enabled boolean NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, code)
);

CREATE TABLE agency_pay_status (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    name text NOT NULL,
    description text,
    is_active boolean NOT NULL,
    can_be_paid boolean NOT NULL,
    sort_order integer NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, name)
);

CREATE TABLE agency_agent_level (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    team_id integer NOT NULL,
    value integer NOT NULL,
    name text NOT NULL,
    description text,
    is_enabled boolean NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, team_id, value),
    FOREIGN KEY (tenant_id, team_id) REFERENCES agency_team (tenant_id, id)
);

CREATE TABLE agency_provider_company (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    code text NOT NULL,
    name text NOT NULL,
    naic_code text,
    is_enabled boolean NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, code)
);

-- +goose Down
DROP TABLE agency_provider_company;
DROP TABLE agency_agent_level;
DROP TABLE agency_pay_status;
DROP TABLE agency_jurisdiction;
DROP TABLE agency_certification_type;
DROP TABLE agency_team;
