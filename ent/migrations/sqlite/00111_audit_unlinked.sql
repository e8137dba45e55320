-- +goose Up
-- Entries of the audit trail that are committed and wait for their numbers and their places
-- in the chain, for a second at most: on PostgreSQL, a chain that every writer extends
-- itself makes each wait for the commit of the one before.
CREATE TABLE audit_unlinked (
    written integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    -- JSON: what audit_entry has, without what comes of the place.
    entry text NOT NULL,
    -- Keyed, of the entry.
    mac blob NOT NULL
);
CREATE INDEX audit_unlinked_order ON audit_unlinked (tenant_id, written);

-- How many entries were written, and how many of them tell of changes. PostgreSQL has
-- several rows to be summed.
CREATE TABLE audit_written (
    tenant_id integer NOT NULL,
    slot integer NOT NULL,
    entries integer NOT NULL,
    changes integer NOT NULL,
    PRIMARY KEY (tenant_id, slot)
) WITHOUT ROWID;
-- How many of those that were counted have their places.
ALTER TABLE audit_head ADD COLUMN linked integer NOT NULL DEFAULT 0;

-- +goose Down
-- Nothing but a server can give an entry its place: there must be none that waits.
CREATE TABLE audit_unlinked_none (entries integer CHECK (entries = 0));
INSERT INTO audit_unlinked_none SELECT count(*) FROM audit_unlinked;
DROP TABLE audit_unlinked_none;
ALTER TABLE audit_head DROP COLUMN linked;
DROP TABLE audit_written;
DROP TABLE audit_unlinked;
