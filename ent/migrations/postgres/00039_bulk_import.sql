-- +goose Up
-- An import under way, or done: what a repeated one answers, and where one that was
-- killed goes on (docs/import.md). It is written in the transactions of its rows.
CREATE TABLE bulk_import (
    tenant_id bigint NOT NULL REFERENCES tenant (id),
    key text COLLATE "C" NOT NULL,
    -- Of the file, and of all else that makes an import the same or another.
    digest bytea NOT NULL,
    entity text NOT NULL,
    error_policy text NOT NULL,
    initiator text NOT NULL,
    -- How often the file was gone over before, and the rows of it that are done.
    pass bigint NOT NULL DEFAULT 0,
    rows_done bigint NOT NULL DEFAULT 0,
    accepted_count bigint NOT NULL DEFAULT 0,
    created_count bigint NOT NULL DEFAULT 0,
    updated_count bigint NOT NULL DEFAULT 0,
    unchanged_count bigint NOT NULL DEFAULT 0,
    rejected_count bigint NOT NULL DEFAULT 0,
    started_at timestamptz NOT NULL,
    finished_at timestamptz,
    PRIMARY KEY (tenant_id, key)
);
CREATE TABLE bulk_import_rejection (
    tenant_id bigint NOT NULL,
    import_key text COLLATE "C" NOT NULL,
    -- The line in the file.
    row_number bigint NOT NULL,
    row_key text NOT NULL,
    -- What was wrong, as JSON; no value of the row is in it.
    problems text NOT NULL,
    PRIMARY KEY (tenant_id, import_key, row_number),
    FOREIGN KEY (tenant_id, import_key) REFERENCES bulk_import (tenant_id, key) ON DELETE CASCADE
);

-- +goose Down
DROP TABLE bulk_import_rejection;
DROP TABLE bulk_import;
