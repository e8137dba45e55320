-- +goose Up
-- Reads as known at an earlier instant see superseded rows too, so the indexes
-- hold these as well.
DROP INDEX agency_certification_period_live;
CREATE INDEX agency_certification_period_owner ON agency_certification_period (tenant_id, certification_id, effective_from);
DROP INDEX agency_pay_status_period_live;
CREATE INDEX agency_pay_status_period_owner ON agency_pay_status_period (tenant_id, agent_id, effective_from);
DROP INDEX agency_upline_period_live;
CREATE INDEX agency_upline_period_owner ON agency_upline_period (tenant_id, team_id, agent_id, effective_from);
DROP INDEX agency_upline_period_upline;
CREATE INDEX agency_upline_period_upline ON agency_upline_period (tenant_id, team_id, upline_agent_id, effective_from);
DROP INDEX agency_level_period_live;
CREATE INDEX agency_level_period_owner ON agency_level_period (tenant_id, team_id, agent_id, effective_from);

-- +goose Down
DROP INDEX agency_level_period_owner;
CREATE INDEX agency_level_period_live ON agency_level_period (tenant_id, team_id, agent_id, effective_from) WHERE superseded_at IS NULL;
DROP INDEX agency_upline_period_upline;
CREATE INDEX agency_upline_period_upline ON agency_upline_period (tenant_id, team_id, upline_agent_id, effective_from) WHERE superseded_at IS NULL;
DROP INDEX agency_upline_period_owner;
CREATE INDEX agency_upline_period_live ON agency_upline_period (tenant_id, team_id, agent_id, effective_from) WHERE superseded_at IS NULL;
DROP INDEX agency_pay_status_period_owner;
CREATE INDEX agency_pay_status_period_live ON agency_pay_status_period (tenant_id, agent_id, effective_from) WHERE superseded_at IS NULL;
DROP INDEX agency_certification_period_owner;
CREATE INDEX agency_certification_period_live ON agency_certification_period (tenant_id, certification_id, effective_from) WHERE superseded_at IS NULL;
