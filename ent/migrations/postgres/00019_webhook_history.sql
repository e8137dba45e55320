-- +goose Up
-- How many deliveries a subscription has had, and the number of each: 1, 2, 3 in
-- the order they were recorded. The row of the subscription is locked meanwhile,
-- so that none appears behind one that was read. Deliveries of before have none.
ALTER TABLE webhook_subscription ADD COLUMN deliveries bigint NOT NULL DEFAULT 0;
ALTER TABLE webhook_delivery ADD COLUMN number bigint;
CREATE UNIQUE INDEX webhook_delivery_number_key ON webhook_delivery (tenant_id, subscription_id, number);

-- The last position of the feed that is no longer shown: the events up to it are
-- deleted as soon as nothing needs them.
ALTER TABLE outbox_feed ADD COLUMN forgotten bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE outbox_feed DROP COLUMN forgotten;
DROP INDEX webhook_delivery_number_key;
ALTER TABLE webhook_delivery DROP COLUMN number;
ALTER TABLE webhook_subscription DROP COLUMN deliveries;
