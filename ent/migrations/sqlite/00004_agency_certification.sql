-- +goose Up
CREATE TABLE agency_certification (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    type text NOT NULL,
    provider_company text,
    jurisdiction text,
    identifier text CHECK (identifier <> ''),
    is_resident_certification boolean NOT NULL,
    is_verified boolean NOT NULL,
    note text,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, type) REFERENCES agency_certification_type (tenant_id, code),
    FOREIGN KEY (tenant_id, provider_company) REFERENCES agency_provider_company (tenant_id, code),
    FOREIGN KEY (tenant_id, jurisdiction) REFERENCES agency_jurisdiction (tenant_id, code)
);
-- The matching rules of POST /certifications: a missing provider company,
-- jurisdiction or identifier matches only a missing one.
CREATE UNIQUE INDEX agency_certification_match ON agency_certification
    (tenant_id, agent_id, type, coalesce(provider_company, ''), coalesce(jurisdiction, ''), coalesce(identifier, ''));
CREATE INDEX agency_certification_type_used ON agency_certification (tenant_id, type, id);
CREATE INDEX agency_certification_jurisdiction ON agency_certification (tenant_id, jurisdiction, id);
CREATE INDEX agency_certification_provider_company ON agency_certification (tenant_id, provider_company, id);
CREATE INDEX agency_certification_identifier ON agency_certification (tenant_id, identifier);

CREATE TABLE agency_certification_period (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    certification_id integer NOT NULL,
    status text NOT NULL CHECK (status IN ('ACTIVE', 'PENDING', 'HELD', 'SUSPENDED', 'ADMINISTRATIVE_SUSPENSION',
        'REGULATORY_SUSPENSION', 'EXPIRED', 'REJECTED', 'TERMINATED', 'RETIRED')),
    effective_from text NOT NULL,
    effective_through text,
    recorded_at datetime NOT NULL,
    recorded_by text NOT NULL,
    superseded_at datetime,
    CHECK (effective_through >= effective_from),
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, certification_id) REFERENCES agency_certification (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX agency_certification_period_live ON agency_certification_period (tenant_id, certification_id, effective_from) WHERE superseded_at IS NULL;
-- "A history is a list of non-overlapping periods" (Effective-dated history rules).
-- +goose StatementBegin
CREATE TRIGGER agency_certification_period_insert_overlap BEFORE INSERT ON agency_certification_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_certification_period: periods overlap') FROM agency_certification_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.certification_id = NEW.certification_id AND p.superseded_at IS NULL
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_certification_period_update_overlap BEFORE UPDATE ON agency_certification_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_certification_period: periods overlap') FROM agency_certification_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.certification_id = NEW.certification_id AND p.superseded_at IS NULL AND p.id <> NEW.id
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd

-- +goose Down
DROP TABLE agency_certification_period;
DROP TABLE agency_certification;
