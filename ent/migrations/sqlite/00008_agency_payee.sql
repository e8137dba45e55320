-- +goose Up
-- What a W9 says. A row never changes: another W9 is another row, and the
-- periods say from when to when which one holds. Encrypted values are bound to
-- their row, so parts of a split period share it.
CREATE TABLE agency_w9 (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    name text NOT NULL,
    business_name text,
    tax_classification text NOT NULL,
    exempt_payee text,
    street_address text,
    city text,
    state text,
    zip_code text,
    account_number blob,
    taxpayer_identifier blob,
    taxpayer_identifier_index blob,
    signature blob,
    signature_date text,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX agency_w9_agent ON agency_w9 (tenant_id, agent_id);
CREATE INDEX agency_w9_taxpayer_identifier ON agency_w9 (tenant_id, taxpayer_identifier_index) WHERE taxpayer_identifier_index IS NOT NULL;

CREATE TABLE agency_w9_period (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    w9_id integer NOT NULL,
    effective_from text NOT NULL,
    effective_through text,
    recorded_at datetime NOT NULL,
    recorded_by text NOT NULL,
    superseded_at datetime,
    CHECK (effective_through >= effective_from),
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, w9_id) REFERENCES agency_w9 (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX agency_w9_period_owner ON agency_w9_period (tenant_id, agent_id, effective_from);
-- "A history is a list of non-overlapping periods" (Effective-dated history rules).
-- +goose StatementBegin
CREATE TRIGGER agency_w9_period_insert_overlap BEFORE INSERT ON agency_w9_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_w9_period: periods overlap') FROM agency_w9_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.agent_id = NEW.agent_id AND p.superseded_at IS NULL
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_w9_period_update_overlap BEFORE UPDATE ON agency_w9_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_w9_period: periods overlap') FROM agency_w9_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.agent_id = NEW.agent_id AND p.superseded_at IS NULL AND p.id <> NEW.id
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd

CREATE INDEX agency_w9_period_w9 ON agency_w9_period (tenant_id, w9_id);

-- "direct deposit (not effective-dated; an update replaces the current
-- details)" (Payee): one row for each agent that has it.
CREATE TABLE agency_direct_deposit (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    country text NOT NULL CHECK (country IN ('US', 'CA')),
    account_holder_name text NOT NULL,
    bank_name text,
    account_type text NOT NULL CHECK (account_type IN ('CHECKING', 'SAVINGS')),
    routing_number blob,
    institution_number blob,
    transit_number blob,
    account_number blob,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE agency_direct_deposit;
DROP TABLE agency_w9_period;
DROP TABLE agency_w9;
