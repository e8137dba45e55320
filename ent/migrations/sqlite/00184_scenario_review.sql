-- +goose Up
-- Colleagues who are asked what they think of a scenario, and what they answered. It names the
-- user as it was called then: who is gone has answered nevertheless.
CREATE TABLE agency_scenario_review (
    tenant_id integer NOT NULL,
    scenario_id integer NOT NULL,
    user_id integer NOT NULL,
    username text NOT NULL,
    verdict text NOT NULL CHECK (verdict IN ('ASKED', 'COMMENTED', 'APPROVED', 'DECLINED')),
    comment text NOT NULL,
    -- What tells the day and the moves that were answered from others.
    subject text NOT NULL,
    PRIMARY KEY (tenant_id, scenario_id, user_id),
    FOREIGN KEY (tenant_id, scenario_id) REFERENCES agency_scenario (tenant_id, id) ON DELETE CASCADE
);
CREATE INDEX agency_scenario_review_user ON agency_scenario_review (tenant_id, user_id);
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_review_past_changed AFTER UPDATE OF username, verdict, comment, subject ON agency_scenario_review WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_scenario_review', OLD.scenario_id, OLD.user_id, (SELECT at FROM change_clock), NULL, json_object('username', OLD.username, 'verdict', OLD.verdict, 'comment', OLD.comment, 'subject', OLD.subject)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_review_past_removed AFTER DELETE ON agency_scenario_review WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_scenario_review', OLD.scenario_id, OLD.user_id, (SELECT at FROM change_clock), NULL, json_object('username', OLD.username, 'verdict', OLD.verdict, 'comment', OLD.comment, 'subject', OLD.subject)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_review_past_added AFTER INSERT ON agency_scenario_review WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (NEW.tenant_id, 'agency_scenario_review', NEW.scenario_id, NEW.user_id, (SELECT at FROM change_clock), NULL, NULL) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_scenario_review_past AS SELECT p.tenant_id AS tenant_id, p.row_id AS scenario_id, p.part AS user_id, p.image ->> 'username' AS username, p.image ->> 'verdict' AS verdict, p.image ->> 'comment' AS comment, p.image ->> 'subject' AS subject, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_scenario_review' AND p.image IS NOT NULL;

-- +goose Down
DROP VIEW agency_scenario_review_past;
DROP TABLE agency_scenario_review;
DELETE FROM past_row WHERE relation = 'agency_scenario_review';
