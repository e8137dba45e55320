-- +goose Up
-- written grows with every row: of two changes the later one has the larger
-- number, whatever the clock did in between.
ALTER TABLE outbox_event ADD COLUMN written integer NOT NULL DEFAULT 0;
-- agent_code is the agent that the event is about; initiator and trace_id tell
-- who asked for the change, and in which request.
ALTER TABLE outbox_event ADD COLUMN agent_code text;
ALTER TABLE outbox_event ADD COLUMN initiator text;
ALTER TABLE outbox_event ADD COLUMN trace_id text;
-- position is the place in the feed: 1, 2, 3 without a gap, given after the
-- commit, NULL until then.
ALTER TABLE outbox_event ADD COLUMN position integer;
UPDATE outbox_event SET written = rowid;
CREATE UNIQUE INDEX outbox_event_position_key ON outbox_event (tenant_id, position);
CREATE INDEX outbox_event_unnumbered ON outbox_event (tenant_id, written) WHERE position IS NULL;
CREATE INDEX outbox_event_agent ON outbox_event (tenant_id, agent_code, position) WHERE agent_code IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER outbox_event_written AFTER INSERT ON outbox_event BEGIN
    UPDATE outbox_event SET written = NEW.rowid WHERE rowid = NEW.rowid;
END;
-- +goose StatementEnd

-- The last position that a tenant's feed has given.
CREATE TABLE outbox_feed (
    tenant_id integer NOT NULL,
    position integer NOT NULL,
    PRIMARY KEY (tenant_id),
    FOREIGN KEY (tenant_id) REFERENCES tenant (id)
);

-- +goose Down
DROP TABLE outbox_feed;
DROP TRIGGER outbox_event_written;
DROP INDEX outbox_event_agent;
DROP INDEX outbox_event_unnumbered;
DROP INDEX outbox_event_position_key;
ALTER TABLE outbox_event DROP COLUMN position;
ALTER TABLE outbox_event DROP COLUMN trace_id;
ALTER TABLE outbox_event DROP COLUMN initiator;
ALTER TABLE outbox_event DROP COLUMN agent_code;
ALTER TABLE outbox_event DROP COLUMN written;
