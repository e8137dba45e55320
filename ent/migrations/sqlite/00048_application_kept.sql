-- +goose Up
-- An application stays when the agent that it became is deleted, with the contract that
-- was signed in it: only the link is cut, by who deletes the agent. SQLite cannot
-- change a condition, so the tables are made anew; their rows stay as they are.
CREATE TABLE onboarding_application_anew (
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
    -- The agent that it became, until that is deleted. One application makes one agent.
    agent_id integer,
    submitted_at datetime,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    CHECK ((status = 'HOLD') = (held_status IS NOT NULL)),
    CHECK (status = 'PROCESSED' OR agent_id IS NULL),
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid),
    UNIQUE (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id)
);
INSERT INTO onboarding_application_anew (id, tenant_id, uid, status, held_status, recruiter_agent_code, first_name, last_name, email_address,
    first_name_key, last_name_key, email_key, government_identifier_index, document, agent_id, submitted_at, created_at, created_by, last_modified, last_modified_by)
SELECT id, tenant_id, uid, status, held_status, recruiter_agent_code, first_name, last_name, email_address,
    first_name_key, last_name_key, email_key, government_identifier_index, document, agent_id, submitted_at, created_at, created_by, last_modified, last_modified_by
FROM onboarding_application;
CREATE TABLE onboarding_application_status_change_anew (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    application_id integer NOT NULL,
    from_status text,
    to_status text NOT NULL,
    reason text,
    changed_at datetime NOT NULL,
    changed_by text NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, application_id) REFERENCES onboarding_application_anew (tenant_id, id) ON DELETE CASCADE
);
INSERT INTO onboarding_application_status_change_anew (id, tenant_id, application_id, from_status, to_status, reason, changed_at, changed_by)
SELECT id, tenant_id, application_id, from_status, to_status, reason, changed_at, changed_by FROM onboarding_application_status_change;
-- No id comes twice, also of what was deleted.
DELETE FROM sqlite_sequence WHERE name IN ('onboarding_application_anew', 'onboarding_application_status_change_anew');
INSERT INTO sqlite_sequence (name, seq) SELECT name || '_anew', seq FROM sqlite_sequence
WHERE name IN ('onboarding_application', 'onboarding_application_status_change');
DROP TABLE onboarding_application_status_change;
DROP TABLE onboarding_application;
ALTER TABLE onboarding_application_anew RENAME TO onboarding_application;
ALTER TABLE onboarding_application_status_change_anew RENAME TO onboarding_application_status_change;
CREATE INDEX onboarding_application_created ON onboarding_application (tenant_id, created_at, id);
CREATE INDEX onboarding_application_status ON onboarding_application (tenant_id, status, id);
CREATE INDEX onboarding_application_recruiter ON onboarding_application (tenant_id, recruiter_agent_code, id);
CREATE INDEX onboarding_application_email ON onboarding_application (tenant_id, email_key);
-- "an open application already exists for the same person" (Errors): two
-- creations at once must not both be stored.
CREATE UNIQUE INDEX onboarding_application_person ON onboarding_application (tenant_id, government_identifier_index)
    WHERE government_identifier_index IS NOT NULL AND status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID');
CREATE INDEX onboarding_application_status_change_application ON onboarding_application_status_change (tenant_id, application_id, id);
ALTER TABLE onboarding_application ADD CONSTRAINT onboarding_application_held_status_known
    CHECK (held_status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID', 'PROCESSED', 'REJECTED'));
ALTER TABLE onboarding_application_status_change ADD CONSTRAINT onboarding_application_status_change_from_status_known
    CHECK (from_status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID', 'PROCESSED', 'REJECTED'));
ALTER TABLE onboarding_application_status_change ADD CONSTRAINT onboarding_application_status_change_to_status_known
    CHECK (to_status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID', 'PROCESSED', 'REJECTED'));

-- +goose Down
-- What was left of deleted agents stays, and so does the condition that lets it.
CREATE TABLE onboarding_application_anew (
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
    -- The agent that it became, until that is deleted. One application makes one agent.
    agent_id integer,
    submitted_at datetime,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    CHECK ((status = 'HOLD') = (held_status IS NOT NULL)),
    CHECK (status = 'PROCESSED' OR agent_id IS NULL),
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid),
    UNIQUE (tenant_id, agent_id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE
);
INSERT INTO onboarding_application_anew (id, tenant_id, uid, status, held_status, recruiter_agent_code, first_name, last_name, email_address,
    first_name_key, last_name_key, email_key, government_identifier_index, document, agent_id, submitted_at, created_at, created_by, last_modified, last_modified_by)
SELECT id, tenant_id, uid, status, held_status, recruiter_agent_code, first_name, last_name, email_address,
    first_name_key, last_name_key, email_key, government_identifier_index, document, agent_id, submitted_at, created_at, created_by, last_modified, last_modified_by
FROM onboarding_application;
CREATE TABLE onboarding_application_status_change_anew (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    application_id integer NOT NULL,
    from_status text,
    to_status text NOT NULL,
    reason text,
    changed_at datetime NOT NULL,
    changed_by text NOT NULL,
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, application_id) REFERENCES onboarding_application_anew (tenant_id, id) ON DELETE CASCADE
);
INSERT INTO onboarding_application_status_change_anew (id, tenant_id, application_id, from_status, to_status, reason, changed_at, changed_by)
SELECT id, tenant_id, application_id, from_status, to_status, reason, changed_at, changed_by FROM onboarding_application_status_change;
-- No id comes twice, also of what was deleted.
DELETE FROM sqlite_sequence WHERE name IN ('onboarding_application_anew', 'onboarding_application_status_change_anew');
INSERT INTO sqlite_sequence (name, seq) SELECT name || '_anew', seq FROM sqlite_sequence
WHERE name IN ('onboarding_application', 'onboarding_application_status_change');
DROP TABLE onboarding_application_status_change;
DROP TABLE onboarding_application;
ALTER TABLE onboarding_application_anew RENAME TO onboarding_application;
ALTER TABLE onboarding_application_status_change_anew RENAME TO onboarding_application_status_change;
CREATE INDEX onboarding_application_created ON onboarding_application (tenant_id, created_at, id);
CREATE INDEX onboarding_application_status ON onboarding_application (tenant_id, status, id);
CREATE INDEX onboarding_application_recruiter ON onboarding_application (tenant_id, recruiter_agent_code, id);
CREATE INDEX onboarding_application_email ON onboarding_application (tenant_id, email_key);
-- "an open application already exists for the same person" (Errors): two
-- creations at once must not both be stored.
CREATE UNIQUE INDEX onboarding_application_person ON onboarding_application (tenant_id, government_identifier_index)
    WHERE government_identifier_index IS NOT NULL AND status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID');
CREATE INDEX onboarding_application_status_change_application ON onboarding_application_status_change (tenant_id, application_id, id);
ALTER TABLE onboarding_application ADD CONSTRAINT onboarding_application_held_status_known
    CHECK (held_status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID', 'PROCESSED', 'REJECTED'));
ALTER TABLE onboarding_application_status_change ADD CONSTRAINT onboarding_application_status_change_from_status_known
    CHECK (from_status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID', 'PROCESSED', 'REJECTED'));
ALTER TABLE onboarding_application_status_change ADD CONSTRAINT onboarding_application_status_change_to_status_known
    CHECK (to_status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID', 'PROCESSED', 'REJECTED'));
