-- +goose Up
CREATE TABLE webhook_subscription (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    -- The id that clients know.
    uid text NOT NULL,
    url text NOT NULL,
    -- Names of event types, as they were given: a JSON array.
    events text NOT NULL,
    description text,
    -- Custom headers, encrypted as a whole; NULL for none.
    headers blob,
    -- Stored, "not yet applied" (Webhook subscription).
    max_retries integer NOT NULL,
    retry_delay_minutes integer NOT NULL,
    -- True: the events of an agent one after the other.
    is_ordered boolean NOT NULL,
    is_active boolean NOT NULL,
    -- The signing secret, encrypted, and the one before it while both sign.
    secret blob NOT NULL,
    previous_secret blob,
    previous_secret_until datetime,
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    -- The queue: the last number given, and how often there was new work. Who
    -- holds the lease delivers; it gives the lease back only when it has seen
    -- the last wake.
    last_sequence integer NOT NULL DEFAULT 0,
    wakes integer NOT NULL DEFAULT 0,
    holder text,
    held_until datetime,
    -- Failures since the last success; when there are many, the instant of the
    -- next probe.
    failures integer NOT NULL DEFAULT 0,
    probe_at datetime,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid)
);

-- What is to be delivered to a subscription, numbered without a gap.
CREATE TABLE webhook_message (
    tenant_id integer NOT NULL,
    subscription_id integer NOT NULL,
    sequence integer NOT NULL,
    event_id text NOT NULL,
    agent_code text,
    -- PENDING, DELIVERED or GIVEN_UP.
    state text NOT NULL,
    attempts integer NOT NULL DEFAULT 0,
    -- Of a pending message; NULL while it waits for an earlier one of its agent.
    next_attempt_at datetime,
    PRIMARY KEY (tenant_id, subscription_id, sequence),
    FOREIGN KEY (tenant_id, subscription_id) REFERENCES webhook_subscription (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, event_id) REFERENCES outbox_event (tenant_id, id)
);
CREATE INDEX webhook_message_due ON webhook_message (tenant_id, subscription_id, next_attempt_at, sequence) WHERE state = 'PENDING';
CREATE INDEX webhook_message_agent ON webhook_message (tenant_id, subscription_id, agent_code, sequence) WHERE state = 'PENDING';
CREATE INDEX webhook_message_event ON webhook_message (tenant_id, event_id);

-- "every attempt is recorded in the delivery history" (Events, 2).
CREATE TABLE webhook_delivery (
    tenant_id integer NOT NULL,
    -- UUIDv7; the header X-Webhook-Id of the attempt.
    id text NOT NULL,
    subscription_id integer NOT NULL,
    -- NULL for a test, which is outside the numbers.
    sequence integer,
    event_id text NOT NULL,
    url text NOT NULL,
    attempt_number integer NOT NULL,
    attempted_at datetime NOT NULL,
    is_successful boolean NOT NULL,
    http_status_code integer,
    response text,
    response_time_ms integer NOT NULL,
    error_message text,
    PRIMARY KEY (tenant_id, id),
    FOREIGN KEY (tenant_id, subscription_id) REFERENCES webhook_subscription (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, event_id) REFERENCES outbox_event (tenant_id, id)
);
CREATE INDEX webhook_delivery_newest ON webhook_delivery (tenant_id, subscription_id, attempted_at, id);
CREATE INDEX webhook_delivery_event ON webhook_delivery (tenant_id, event_id);

-- How far the feed of a tenant was turned into messages. Whoever does so holds
-- its lock.
CREATE TABLE webhook_fanout (
    tenant_id integer NOT NULL,
    position integer NOT NULL,
    PRIMARY KEY (tenant_id),
    FOREIGN KEY (tenant_id) REFERENCES tenant (id)
);

-- Replays read the events of a range of time.
CREATE INDEX outbox_event_occurred ON outbox_event (tenant_id, occurred_at);

-- +goose Down
DROP INDEX outbox_event_occurred;
DROP TABLE webhook_fanout;
DROP TABLE webhook_delivery;
DROP TABLE webhook_message;
DROP TABLE webhook_subscription;
