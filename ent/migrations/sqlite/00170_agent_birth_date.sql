-- +goose Up
-- Who was born on a day: whether a new agent may be one that is there already.
CREATE INDEX agency_agent_birth_date ON agency_agent (tenant_id, birth_date) WHERE birth_date IS NOT NULL;

-- +goose Down
DROP INDEX agency_agent_birth_date;
