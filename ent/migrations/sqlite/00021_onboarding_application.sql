-- +goose Up
CREATE TABLE onboarding_application (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    -- The id that clients know.
    uid text NOT NULL,
    status text NOT NULL CHECK (status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID', 'PROCESSED', 'REJECTED')),
    -- The status before the hold.
    held_status text,
    -- May be no agent's code.
    recruiter_agent_code text NOT NULL,
    first_name text NOT NULL,
    last_name text NOT NULL,
    email_address text NOT NULL,
    first_name_key text NOT NULL,
    last_name_key text NOT NULL,
    email_key text NOT NULL,
    government_identifier_index blob,
    -- Everything else, encrypted. It is bound to the row, so the row comes first.
    document blob,
    -- The agent that it became. One application makes one agent.
    agent_id integer,
    submitted_at datetime,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    CHECK ((status = 'HOLD') = (held_status IS NOT NULL)),
    CHECK ((status = 'PROCESSED') = (agent_id IS NOT NULL)),
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid),
    UNIQUE (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX onboarding_application_created ON onboarding_application (tenant_id, created_at, id);
CREATE INDEX onboarding_application_status ON onboarding_application (tenant_id, status, id);
CREATE INDEX onboarding_application_recruiter ON onboarding_application (tenant_id, recruiter_agent_code, id);
CREATE INDEX onboarding_application_email ON onboarding_application (tenant_id, email_key);
-- "an open application already exists for the same person" (Errors): two
-- creations at once must not both be stored.
CREATE UNIQUE INDEX onboarding_application_person ON onboarding_application (tenant_id, government_identifier_index)
    WHERE government_identifier_index IS NOT NULL AND status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID');

CREATE TABLE onboarding_application_status_change (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    application_id integer NOT NULL,
    from_status text,
    to_status text NOT NULL,
    reason text,
    changed_at datetime NOT NULL,
    changed_by text NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, application_id) REFERENCES onboarding_application (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX onboarding_application_status_change_application ON onboarding_application_status_change (tenant_id, application_id, id);

-- +goose Down
DROP TABLE onboarding_application_status_change;
DROP TABLE onboarding_application;
