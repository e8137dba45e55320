-- +goose Up
-- An event is written in the transaction of the change it tells of.
CREATE TABLE outbox_event (
    tenant_id integer NOT NULL,
    -- UUIDv7: ids sort by time.
    id text NOT NULL,
    type text NOT NULL,
    occurred_at datetime NOT NULL,
    -- The data part of the event, a JSON object without sensitive values.
    data text NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenant (id)
);

-- +goose Down
DROP TABLE outbox_event;
