-- +goose Up
-- Colleagues who are asked what they think of a scenario, and what they answered. It names the
-- user as it was called then: who is gone has answered nevertheless.
CREATE TABLE agency_scenario_review (
    tenant_id bigint NOT NULL,
    scenario_id bigint NOT NULL,
    user_id bigint NOT NULL,
    username text NOT NULL,
    verdict text NOT NULL CHECK (verdict IN ('ASKED', 'COMMENTED', 'APPROVED', 'DECLINED')),
    comment text NOT NULL,
    -- What tells the day and the moves that were answered from others.
    subject text NOT NULL,
    PRIMARY KEY (tenant_id, scenario_id, user_id),
    FOREIGN KEY (tenant_id, scenario_id) REFERENCES agency_scenario (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX agency_scenario_review_user ON agency_scenario_review (tenant_id, user_id);
ALTER TABLE agency_scenario_review ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON agency_scenario_review USING (tenant_id = app_tenant());
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF username, verdict, comment, subject ON agency_scenario_review FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_scenario_review', 'tenant_id', 'scenario_id', 'user_id', '');
CREATE TRIGGER past_row_added AFTER INSERT ON agency_scenario_review FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_scenario_review', 'tenant_id', 'scenario_id', 'user_id', '');
CREATE VIEW agency_scenario_review_past WITH (security_invoker = true) AS SELECT p.tenant_id AS tenant_id, p.row_id AS scenario_id, p.part AS user_id, r.username, r.verdict, r.comment, r.subject, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_scenario_review, p.image) r WHERE p.relation = 'agency_scenario_review' AND p.image IS NOT NULL;

-- +goose Down
DROP TABLE agency_scenario_review CASCADE;
DELETE FROM past_row WHERE relation = 'agency_scenario_review';
