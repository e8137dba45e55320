-- +goose Up
-- A list is read in each order that it offers: certifications and their periods, those of
-- uplines, levels, pay statuses and W9s had been sorted whole for a page of them. Periods
-- are found by these where a statement says that a day and 0 is not null, as in migration 99.
DROP INDEX agency_upline_period_begin;
CREATE INDEX agency_upline_period_begin ON agency_upline_period (tenant_id, team_id, effective_from, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_upline_period_through ON agency_upline_period (tenant_id, team_id, (CASE WHEN effective_through IS NULL THEN '9999-12-31' ELSE effective_through END), id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_upline_period_recorded ON agency_upline_period (tenant_id, team_id, recorded_at, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
DROP INDEX agency_level_period_begin;
CREATE INDEX agency_level_period_begin ON agency_level_period (tenant_id, team_id, effective_from, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_level_period_through ON agency_level_period (tenant_id, team_id, (CASE WHEN effective_through IS NULL THEN '9999-12-31' ELSE effective_through END), id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_level_period_recorded ON agency_level_period (tenant_id, team_id, recorded_at, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
DROP INDEX agency_pay_status_period_begin;
CREATE INDEX agency_pay_status_period_begin ON agency_pay_status_period (tenant_id, effective_from, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_pay_status_period_through ON agency_pay_status_period (tenant_id, (CASE WHEN effective_through IS NULL THEN '9999-12-31' ELSE effective_through END), id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_pay_status_period_recorded ON agency_pay_status_period (tenant_id, recorded_at, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
DROP INDEX agency_certification_period_begin;
CREATE INDEX agency_certification_period_begin ON agency_certification_period (tenant_id, effective_from, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_certification_period_through ON agency_certification_period (tenant_id, (CASE WHEN effective_through IS NULL THEN '9999-12-31' ELSE effective_through END), id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_certification_period_recorded ON agency_certification_period (tenant_id, recorded_at, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_w9_period_begin ON agency_w9_period (tenant_id, effective_from, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_w9_period_through ON agency_w9_period (tenant_id, (CASE WHEN effective_through IS NULL THEN '9999-12-31' ELSE effective_through END), id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_w9_period_recorded ON agency_w9_period (tenant_id, recorded_at, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_certification_period_in_status ON agency_certification_period (tenant_id, status, id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
-- Agents are filtered by their pay status.
CREATE INDEX agency_pay_status_period_in_status ON agency_pay_status_period (tenant_id, status, agent_id) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_certification_last_modified ON agency_certification (tenant_id, last_modified, id);
CREATE INDEX agency_certification_in_jurisdiction ON agency_certification (tenant_id, (CASE WHEN jurisdiction IS NULL THEN '' ELSE jurisdiction END), id);
-- Nobody has looked anything up by this one since migration 81.
DROP INDEX audit_entry_keys;
-- An event has no position before it is numbered, and nobody looks for it by none.
DROP INDEX outbox_event_position_key;
CREATE UNIQUE INDEX outbox_event_position_key ON outbox_event (tenant_id, position) WHERE position IS NOT NULL;
DROP INDEX outbox_event_agent;
CREATE INDEX outbox_event_agent ON outbox_event (tenant_id, agent_code, position) WHERE agent_code IS NOT NULL AND position IS NOT NULL;

-- +goose Down
DROP INDEX outbox_event_agent;
CREATE INDEX outbox_event_agent ON outbox_event (tenant_id, agent_code, position) WHERE agent_code IS NOT NULL;
DROP INDEX outbox_event_position_key;
CREATE UNIQUE INDEX outbox_event_position_key ON outbox_event (tenant_id, position);
CREATE INDEX audit_entry_keys ON audit_entry (tenant_id, coalesce(keys_of, seq), seq);
DROP INDEX agency_certification_in_jurisdiction;
DROP INDEX agency_certification_last_modified;
DROP INDEX agency_pay_status_period_in_status;
DROP INDEX agency_certification_period_in_status;
DROP INDEX agency_upline_period_recorded;
DROP INDEX agency_upline_period_through;
DROP INDEX agency_upline_period_begin;
CREATE INDEX agency_upline_period_begin ON agency_upline_period (tenant_id, team_id, effective_from) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
DROP INDEX agency_level_period_recorded;
DROP INDEX agency_level_period_through;
DROP INDEX agency_level_period_begin;
CREATE INDEX agency_level_period_begin ON agency_level_period (tenant_id, team_id, effective_from) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
DROP INDEX agency_pay_status_period_recorded;
DROP INDEX agency_pay_status_period_through;
DROP INDEX agency_pay_status_period_begin;
CREATE INDEX agency_pay_status_period_begin ON agency_pay_status_period (tenant_id, effective_from) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
DROP INDEX agency_certification_period_recorded;
DROP INDEX agency_certification_period_through;
DROP INDEX agency_certification_period_begin;
CREATE INDEX agency_certification_period_begin ON agency_certification_period (tenant_id, effective_from) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
DROP INDEX agency_w9_period_recorded;
DROP INDEX agency_w9_period_through;
DROP INDEX agency_w9_period_begin;
