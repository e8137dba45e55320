-- +goose Up
-- An event is written in the transaction of the change it tells of.
CREATE TABLE outbox_event (
    tenant_id bigint NOT NULL,
    -- UUIDv7: ids sort by time.
    id uuid NOT NULL,
    type text NOT NULL,
    occurred_at timestamptz NOT NULL,
    -- The data part of the event, a JSON object without sensitive values.
    data jsonb NOT NULL,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id) REFERENCES tenant (id)
);

-- +goose Down
DROP TABLE outbox_event;
