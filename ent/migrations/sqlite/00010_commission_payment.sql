-- +goose Up
-- A commission that was paid. "Deleting an agent who has been paid commissions:
-- rejected so payment history stays intact" (Errors, 6), hence no cascade.
CREATE TABLE insights_commission_payment (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    paid_on text NOT NULL,
    -- In hundredths of the agency's currency.
    amount_cents integer NOT NULL,
    recorded_at datetime NOT NULL,
    recorded_by text NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id)
);
CREATE INDEX insights_commission_payment_agent ON insights_commission_payment (tenant_id, agent_id, paid_on);

-- +goose Down
DROP TABLE insights_commission_payment;
