-- +goose Up
-- What a new user's status is when the request names none: "the tenant default
-- applies when omitted" (User).
ALTER TABLE tenant ADD COLUMN default_user_status text NOT NULL DEFAULT 'PENDING' CHECK (default_user_status IN ('PENDING', 'APPROVED'));
-- The least characters of a password.
ALTER TABLE tenant ADD COLUMN min_password_length integer NOT NULL DEFAULT 8 CHECK (min_password_length BETWEEN 8 AND 64);

CREATE TABLE identity_role (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    name text NOT NULL,
    description text,
    scopes text NOT NULL,
    is_system boolean NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, name)
);

CREATE TABLE identity_user (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    username text NOT NULL,
    username_key text NOT NULL,
    email text,
    email_key text,
    status text NOT NULL CHECK (status IN ('PENDING', 'APPROVED')),
    password_hash text,
    last_sign_in_at datetime,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    CHECK ((email IS NULL) = (email_key IS NULL))
);
-- "unique in the tenant"; "must not belong to another user" (User).
CREATE UNIQUE INDEX identity_user_username ON identity_user (tenant_id, username_key);
CREATE UNIQUE INDEX identity_user_email ON identity_user (tenant_id, email_key);
CREATE INDEX identity_user_created ON identity_user (tenant_id, created_at, id);

CREATE TABLE identity_user_role (
    tenant_id integer NOT NULL,
    user_id integer NOT NULL,
    role_id integer NOT NULL,
    PRIMARY KEY (tenant_id, user_id, role_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES identity_user (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, role_id) REFERENCES identity_role (tenant_id, id)
);
CREATE INDEX identity_user_role_role ON identity_user_role (tenant_id, role_id, user_id);

-- "links the user to an agent" (User): a row of its own, so that the link ends
-- with the agent and the user stays.
CREATE TABLE identity_user_agent (
    tenant_id integer NOT NULL,
    user_id integer NOT NULL,
    agent_id integer NOT NULL,
    PRIMARY KEY (tenant_id, user_id),
    FOREIGN KEY (tenant_id, user_id) REFERENCES identity_user (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX identity_user_agent_agent ON identity_user_agent (tenant_id, agent_id, user_id);

-- The starter roles, for the tenants there are; new ones get them when they are
-- made.
INSERT INTO identity_role (tenant_id, name, scopes, is_system, created_at, created_by, last_modified, last_modified_by)
SELECT t.id, r.name, '', true, t.created_at, 'upline', t.created_at, 'upline'
FROM tenant t CROSS JOIN (SELECT 'Administrator' AS name UNION ALL SELECT 'Manager' UNION ALL SELECT 'Recruiter' UNION ALL SELECT 'Analyst'
    UNION ALL SELECT 'Agent' UNION ALL SELECT 'Integration') r;

-- +goose Down
DROP TABLE identity_user_agent;
DROP TABLE identity_user_role;
DROP TABLE identity_user;
DROP TABLE identity_role;
ALTER TABLE tenant DROP COLUMN min_password_length;
ALTER TABLE tenant DROP COLUMN default_user_status;
