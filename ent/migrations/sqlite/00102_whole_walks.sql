-- +goose Up
-- A walk down the hierarchy of another day than today reads the index alone, as on
-- PostgreSQL: for each agent it had looked for the row.
DROP INDEX agency_upline_period_upline;
CREATE INDEX agency_upline_period_upline ON agency_upline_period (tenant_id, team_id, upline_agent_id, effective_from, effective_through, superseded_at, agent_id);

-- +goose Down
DROP INDEX agency_upline_period_upline;
CREATE INDEX agency_upline_period_upline ON agency_upline_period (tenant_id, team_id, upline_agent_id, effective_from);
