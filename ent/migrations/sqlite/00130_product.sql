-- +goose Up
-- What is sold, and what it takes to sell it: rules, each with requirements from a day to a
-- day. Lists of codes are texts with commas; codes have none.
CREATE TABLE agency_product (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    code text NOT NULL,
    name text NOT NULL,
    description text,
    line_of_authority text,
    is_watched boolean NOT NULL,
    is_enabled boolean NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, code)
);

CREATE TABLE agency_product_rule (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    product text NOT NULL,
    name text NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, product, name),
    FOREIGN KEY (tenant_id, product) REFERENCES agency_product (tenant_id, code)
);

CREATE TABLE agency_product_rule_period (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    rule_id integer NOT NULL,
    jurisdictions text,
    certification_types text,
    requires_all boolean NOT NULL,
    is_resident boolean,
    provider_company text,
    requires_active_status boolean NOT NULL,
    minimum_level integer,
    upline_depth integer NOT NULL CHECK (upline_depth >= 0),
    effective_from text NOT NULL,
    effective_through text,
    recorded_at datetime NOT NULL,
    recorded_by text NOT NULL,
    superseded_at datetime,
    CHECK (effective_through >= effective_from),
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, rule_id) REFERENCES agency_product_rule (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, provider_company) REFERENCES agency_provider_company (tenant_id, code)
);
CREATE INDEX agency_product_rule_period_owner ON agency_product_rule_period (tenant_id, rule_id, effective_from);
CREATE INDEX agency_product_rule_period_begin ON agency_product_rule_period (tenant_id, effective_from, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_product_rule_period_company ON agency_product_rule_period (tenant_id, provider_company) WHERE provider_company IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_product_rule_period_insert_overlap BEFORE INSERT ON agency_product_rule_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_product_rule_period: periods overlap') FROM agency_product_rule_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.rule_id = NEW.rule_id AND p.superseded_at IS NULL
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_product_rule_period_update_overlap BEFORE UPDATE ON agency_product_rule_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_product_rule_period: periods overlap') FROM agency_product_rule_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.rule_id = NEW.rule_id AND p.superseded_at IS NULL AND p.id <> NEW.id
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd

ALTER TABLE bulk_import DROP CONSTRAINT bulk_import_entity_known;
ALTER TABLE bulk_import ADD CONSTRAINT bulk_import_entity_known
    CHECK (entity IN ('AGENT', 'CERTIFICATION', 'UPLINE_PERIOD', 'LEVEL_PERIOD', 'PAY_STATUS_PERIOD', 'PRODUCTION_RECORD', 'COMMISSION_PAYMENT',
        'PAY_STATUS', 'AGENT_LEVEL', 'CERTIFICATION_TYPE', 'JURISDICTION', 'PROVIDER_COMPANY', 'TAG', 'PRODUCT', 'PRODUCT_RULE'));

-- +goose Down
ALTER TABLE bulk_import DROP CONSTRAINT bulk_import_entity_known;
DELETE FROM bulk_import WHERE entity IN ('PRODUCT', 'PRODUCT_RULE');
ALTER TABLE bulk_import ADD CONSTRAINT bulk_import_entity_known
    CHECK (entity IN ('AGENT', 'CERTIFICATION', 'UPLINE_PERIOD', 'LEVEL_PERIOD', 'PAY_STATUS_PERIOD', 'PRODUCTION_RECORD', 'COMMISSION_PAYMENT',
        'PAY_STATUS', 'AGENT_LEVEL', 'CERTIFICATION_TYPE', 'JURISDICTION', 'PROVIDER_COMPANY', 'TAG'));
DROP TABLE agency_product_rule_period;
DROP TABLE agency_product_rule;
DROP TABLE agency_product;
