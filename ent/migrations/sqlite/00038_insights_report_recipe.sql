-- +goose Up
-- "A stored definition of a tabular report … not tenant-scoped: … shared across the
-- platform" (Report recipe). There is no tenant_id.
CREATE TABLE insights_report_recipe (
    id integer PRIMARY KEY AUTOINCREMENT,
    -- The id that clients know.
    uid text NOT NULL UNIQUE,
    name text NOT NULL,
    -- The name in small letters, in the order of which recipes are listed.
    name_key text NOT NULL UNIQUE,
    description text,
    dataset text NOT NULL,
    -- A JSON object, as text so that it is the same in every database.
    definition text NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    -- The tenant of who created it; NULL for the platform.
    created_tenant integer REFERENCES tenant (id),
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    last_modified_tenant integer REFERENCES tenant (id)
);

-- Clients of the platform send keys, too: their rows are of tenant 0. SQLite drops
-- a foreign key with its table only.
CREATE TABLE idempotent_request_new (
    tenant_id integer NOT NULL,
    -- Whose key it is: the subject of the token.
    subject text NOT NULL,
    key text NOT NULL,
    -- A keyed fingerprint of method, path and body.
    fingerprint blob NOT NULL,
    created_at datetime NOT NULL,
    -- The answer, encrypted; absent until it was sent.
    status integer,
    response blob,
    -- The agent that the answer tells of; the answer goes when the agent is deleted.
    agent_id integer,
    PRIMARY KEY (tenant_id, subject, key)
);
INSERT INTO idempotent_request_new SELECT tenant_id, subject, key, fingerprint, created_at, status, response, agent_id FROM idempotent_request;
DROP TABLE idempotent_request;
ALTER TABLE idempotent_request_new RENAME TO idempotent_request;
CREATE INDEX idempotent_request_created_at ON idempotent_request (tenant_id, created_at);
CREATE INDEX idempotent_request_agent ON idempotent_request (tenant_id, agent_id) WHERE agent_id IS NOT NULL;

-- No role of a tenant holds what is granted by the platform.
UPDATE identity_role SET scopes = trim(replace(' ' || scopes || ' ', ' business-insights:report-recipes:write ', ' '))
WHERE ' ' || scopes || ' ' LIKE '% business-insights:report-recipes:write %';

-- +goose Down
CREATE TABLE idempotent_request_old (
    tenant_id integer NOT NULL REFERENCES tenant (id),
    subject text NOT NULL,
    key text NOT NULL,
    fingerprint blob NOT NULL,
    created_at datetime NOT NULL,
    status integer,
    response blob,
    agent_id integer,
    PRIMARY KEY (tenant_id, subject, key)
);
INSERT INTO idempotent_request_old SELECT tenant_id, subject, key, fingerprint, created_at, status, response, agent_id
FROM idempotent_request WHERE tenant_id <> 0;
DROP TABLE idempotent_request;
ALTER TABLE idempotent_request_old RENAME TO idempotent_request;
CREATE INDEX idempotent_request_created_at ON idempotent_request (tenant_id, created_at);
CREATE INDEX idempotent_request_agent ON idempotent_request (tenant_id, agent_id) WHERE agent_id IS NOT NULL;
DROP TABLE insights_report_recipe;
