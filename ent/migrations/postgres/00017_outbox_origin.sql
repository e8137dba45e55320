-- +goose Up
-- written grows with every row: of two changes that waited for each other the
-- later one has the larger number, on whichever machine's clock it happened.
-- agent_code is the agent that the event is about; initiator and trace_id tell
-- who asked for the change, and in which request.
-- position is the place in the feed: 1, 2, 3 without a gap, given after the
-- commit, NULL until then.
ALTER TABLE outbox_event
    ADD COLUMN written bigint GENERATED ALWAYS AS IDENTITY,
    ADD COLUMN agent_code text,
    ADD COLUMN initiator text,
    ADD COLUMN trace_id text,
    ADD COLUMN position bigint;
CREATE UNIQUE INDEX outbox_event_position_key ON outbox_event (tenant_id, position);
CREATE INDEX outbox_event_unnumbered ON outbox_event (tenant_id, written) WHERE position IS NULL;
CREATE INDEX outbox_event_agent ON outbox_event (tenant_id, agent_code, position) WHERE agent_code IS NOT NULL;

-- The last position that a tenant's feed has given. Whoever numbers events
-- holds its lock.
CREATE TABLE outbox_feed (
    tenant_id bigint NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (tenant_id),
    FOREIGN KEY (tenant_id) REFERENCES tenant (id)
);

-- +goose Down
DROP TABLE outbox_feed;
DROP INDEX outbox_event_agent;
DROP INDEX outbox_event_unnumbered;
DROP INDEX outbox_event_position_key;
ALTER TABLE outbox_event
    DROP COLUMN position,
    DROP COLUMN trace_id,
    DROP COLUMN initiator,
    DROP COLUMN agent_code,
    DROP COLUMN written;
