-- +goose Up
-- What CertificationExpiring told: that the active period which ends on a day
-- ends within so many days.
CREATE TABLE agency_certification_expiry (
    tenant_id bigint NOT NULL,
    certification_id bigint NOT NULL,
    effective_through date NOT NULL,
    days integer NOT NULL,
    PRIMARY KEY (tenant_id, certification_id, effective_through, days),
    FOREIGN KEY (tenant_id, certification_id) REFERENCES agency_certification (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX agency_certification_period_ending ON agency_certification_period (tenant_id, effective_through, certification_id)
    WHERE superseded_at IS NULL AND status = 'ACTIVE';

-- +goose Down
DROP INDEX agency_certification_period_ending;
DROP TABLE agency_certification_expiry;
