-- +goose Up
-- A policy that an agent wrote: what production figures are made of (api "Curated
-- query slugs"). It goes with its agent ("the agent and related data", Endpoints).
CREATE TABLE insights_production_record (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    provider_company text NOT NULL,
    policy_number text NOT NULL,
    product_line text,
    submitted_on text,
    issued_on text,
    placed_on text,
    -- In hundredths of the agency's currency.
    annual_premium_cents integer NOT NULL CHECK (annual_premium_cents >= 0),
    recorded_at datetime NOT NULL,
    recorded_by text NOT NULL,
    CHECK (coalesce(submitted_on, issued_on, placed_on) IS NOT NULL),
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, agent_id, provider_company, policy_number),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, provider_company) REFERENCES agency_provider_company (tenant_id, code)
);
-- Figures of a range of days are read from these alone, in the order of days for
-- the whole agency.
CREATE INDEX insights_production_record_submitted ON insights_production_record (tenant_id, submitted_on, agent_id, annual_premium_cents) WHERE submitted_on IS NOT NULL;
CREATE INDEX insights_production_record_issued ON insights_production_record (tenant_id, issued_on, agent_id, annual_premium_cents) WHERE issued_on IS NOT NULL;
CREATE INDEX insights_production_record_placed ON insights_production_record (tenant_id, placed_on, agent_id, annual_premium_cents) WHERE placed_on IS NOT NULL;

-- What tells payments of one agent on one day apart that are for the same amount.
ALTER TABLE insights_commission_payment ADD COLUMN reference text NOT NULL DEFAULT '';
CREATE UNIQUE INDEX insights_commission_payment_key ON insights_commission_payment (tenant_id, agent_id, paid_on, amount_cents, reference);
DROP INDEX insights_commission_payment_agent;

-- +goose Down
CREATE INDEX insights_commission_payment_agent ON insights_commission_payment (tenant_id, agent_id, paid_on);
DROP INDEX insights_commission_payment_key;
ALTER TABLE insights_commission_payment DROP COLUMN reference;
DROP TABLE insights_production_record;
