-- +goose Up
-- Versions of what the application collects. A row never changes; the highest
-- version holds.
CREATE TABLE onboarding_app_configuration (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    version integer NOT NULL,
    collect_tax_id boolean NOT NULL,
    collect_birth_date boolean NOT NULL,
    collect_marital_info boolean NOT NULL,
    collect_home_address boolean NOT NULL,
    collect_correspondence_address boolean NOT NULL,
    collect_primary_phone boolean NOT NULL,
    collect_cell_phone boolean NOT NULL,
    collect_license_info boolean NOT NULL,
    collect_employment_info boolean NOT NULL,
    collect_tax_info boolean NOT NULL,
    collect_contract boolean NOT NULL,
    collect_personal_history boolean NOT NULL,
    requires_payment boolean NOT NULL,
    default_pay_status text,
    default_agent_level integer,
    -- A JSON array.
    products text NOT NULL,
    published_at datetime NOT NULL,
    published_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, version)
);

-- Versions of questions. "contentItemVersionId identifies the published version
-- of a question or covenant" (Application): here the uid.
CREATE TABLE onboarding_background_question (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    uid text NOT NULL,
    content_item_uid text NOT NULL,
    sequence integer NOT NULL,
    text text NOT NULL,
    help_text text,
    response_type text NOT NULL CHECK (response_type IN ('BOOLEAN', 'TEXT', 'DATE', 'SINGLE_CHOICE')),
    -- JSON arrays.
    choices text NOT NULL,
    requires_explanation_when text NOT NULL,
    published_at datetime NOT NULL,
    published_by text NOT NULL,
    retired_at datetime,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid)
);
-- One version of a question is published.
CREATE UNIQUE INDEX onboarding_background_question_published ON onboarding_background_question (tenant_id, content_item_uid) WHERE retired_at IS NULL;

-- Versions of the contract. A row never changes; the highest number is current.
CREATE TABLE onboarding_contract_version (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    uid text NOT NULL,
    version_number integer NOT NULL,
    title text NOT NULL,
    body text NOT NULL,
    body_format text NOT NULL,
    body_sha256 text NOT NULL,
    published_at datetime NOT NULL,
    published_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid),
    UNIQUE (tenant_id, version_number)
);

CREATE TABLE onboarding_contract_covenant (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    contract_version_id integer NOT NULL,
    uid text NOT NULL,
    content_item_uid text NOT NULL,
    sequence integer NOT NULL,
    title text,
    text text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid),
    FOREIGN KEY (tenant_id, contract_version_id) REFERENCES onboarding_contract_version (tenant_id, id)
);
CREATE INDEX onboarding_contract_covenant_contract ON onboarding_contract_covenant (tenant_id, contract_version_id, sequence);

-- +goose Down
DROP TABLE onboarding_contract_covenant;
DROP TABLE onboarding_contract_version;
DROP TABLE onboarding_background_question;
DROP TABLE onboarding_app_configuration;
