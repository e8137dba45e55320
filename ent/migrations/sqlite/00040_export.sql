-- +goose Up
-- A connection of a query that somebody wants as a file. The row is the truth:
-- whoever claims it writes the file, from its beginning.
CREATE TABLE export (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    -- In the path of the download.
    uid text NOT NULL,
    -- Who asked, with the scopes of the token at that time: a user, or with 0 a
    -- client.
    user_id integer NOT NULL,
    subject text NOT NULL,
    client_id text NOT NULL,
    caller_scopes text NOT NULL,
    -- Those that the fields of the query take.
    scopes text NOT NULL,
    -- The query with its variables, encrypted; NULL once it is over.
    request blob,
    connection_path text NOT NULL,
    format text NOT NULL,
    on_date text NOT NULL,
    -- QUEUED, RUNNING, COMPLETED, FAILED or EXPIRED.
    status text NOT NULL,
    -- The process that writes the file, until held_until, and how often one began.
    holder text,
    held_until datetime,
    attempts integer NOT NULL DEFAULT 0,
    -- Counts changes, for those who follow.
    version integer NOT NULL DEFAULT 1,
    row_count integer,
    row_total integer,
    size integer,
    -- True when a sensitive value is in the file in full.
    reveals boolean NOT NULL DEFAULT false,
    -- The agent to whose downline the rows are limited.
    limit_agent_id integer,
    error text,
    created_at datetime NOT NULL,
    finished_at datetime,
    expires_at datetime,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid)
);
CREATE INDEX export_waiting ON export (created_at, id) WHERE status IN ('QUEUED', 'RUNNING');
CREATE INDEX export_finished ON export (tenant_id, finished_at);

-- The files, encrypted, in pieces: any process can serve them.
CREATE TABLE export_chunk (
    tenant_id integer NOT NULL,
    export_id integer NOT NULL,
    number integer NOT NULL,
    data blob NOT NULL,
    PRIMARY KEY (tenant_id, export_id, number),
    FOREIGN KEY (tenant_id, export_id) REFERENCES export (tenant_id, id) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE export_chunk;
DROP TABLE export;
