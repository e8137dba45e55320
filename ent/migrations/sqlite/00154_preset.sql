-- +goose Up
-- What people arrange and keep under a name: columns and conditions of a list, how the
-- columns of a file are read, the tiles of a dashboard.
CREATE TABLE identity_preset (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    -- The id that clients know.
    uid text NOT NULL,
    -- Whose it is; NULL: everybody's.
    user_id integer,
    kind text NOT NULL CHECK (kind IN ('VIEW', 'FILE_MAPPING', 'DASHBOARD')),
    -- What it is for, such as the list of a view; empty where there is only one.
    subject text NOT NULL,
    name text NOT NULL,
    name_key text NOT NULL,
    -- A JSON object, as text so that it is the same in every database.
    content text NOT NULL,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid),
    FOREIGN KEY (tenant_id, user_id) REFERENCES identity_user (tenant_id, id) ON DELETE CASCADE
);
CREATE UNIQUE INDEX identity_preset_name ON identity_preset (tenant_id, kind, subject, coalesce(user_id, 0), name_key);
CREATE INDEX identity_preset_user ON identity_preset (tenant_id, user_id);

-- +goose Down
DROP TABLE identity_preset;
