-- +goose Up
-- The agent that the answer tells of; the answer goes when the agent is deleted.
ALTER TABLE idempotent_request ADD COLUMN agent_id integer;
CREATE INDEX idempotent_request_agent ON idempotent_request (tenant_id, agent_id) WHERE agent_id IS NOT NULL;
-- The periods on which others reported to an agent that was deleted since.
CREATE INDEX agency_upline_period_deleted ON agency_upline_period (tenant_id, deleted_upline_code) WHERE deleted_upline_code IS NOT NULL;

-- +goose Down
DROP INDEX agency_upline_period_deleted;
DROP INDEX idempotent_request_agent;
ALTER TABLE idempotent_request DROP COLUMN agent_id;
