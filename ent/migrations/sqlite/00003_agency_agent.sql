-- +goose Up
CREATE TABLE agency_agent (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    code text NOT NULL,
    first_name text NOT NULL,
    middle_name text,
    last_name text NOT NULL,
    common_name text,
    email text,
    -- Lower-case copies for searching and sorting, the same on every database;
    -- empty where the name is missing.
    first_name_key text NOT NULL,
    last_name_key text NOT NULL,
    common_name_key text NOT NULL,
    email_key text NOT NULL,
    government_identifier blob,
    government_identifier_index blob,
    birth_date text,
    gender text,
    npn text,
    customer_id text,
    is_dedicated boolean NOT NULL,
    start_date datetime NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, code)
);
CREATE INDEX agency_agent_first_name ON agency_agent (tenant_id, first_name_key, id);
CREATE INDEX agency_agent_last_name ON agency_agent (tenant_id, last_name_key, id);
CREATE INDEX agency_agent_common_name ON agency_agent (tenant_id, common_name_key, id);
CREATE INDEX agency_agent_start_date ON agency_agent (tenant_id, start_date, id);
CREATE INDEX agency_agent_last_modified ON agency_agent (tenant_id, last_modified, id);
CREATE INDEX agency_agent_email ON agency_agent (tenant_id, email_key) WHERE email_key <> '';
CREATE INDEX agency_agent_npn ON agency_agent (tenant_id, npn) WHERE npn IS NOT NULL;
CREATE INDEX agency_agent_government_identifier ON agency_agent (tenant_id, government_identifier_index) WHERE government_identifier_index IS NOT NULL;

CREATE TABLE agency_address (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('HOME', 'BUSINESS')),
    line1 text,
    line2 text,
    city text,
    jurisdiction text,
    postal_code text,
    country text,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, agent_id, kind),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, jurisdiction) REFERENCES agency_jurisdiction (tenant_id, code)
);
CREATE INDEX agency_address_jurisdiction ON agency_address (tenant_id, jurisdiction, agent_id);

CREATE TABLE agency_phone (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    kind text NOT NULL CHECK (kind IN ('CELL', 'HOME', 'BUSINESS', 'FAX')),
    country_code text NOT NULL,
    area_code text,
    phone_number text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, agent_id, kind),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE agency_phone;
DROP TABLE agency_address;
DROP TABLE agency_agent;
