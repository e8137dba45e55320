-- +goose Up

CREATE TABLE agency_pay_status_period (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    status text NOT NULL,
    effective_from text NOT NULL,
    effective_through text,
    recorded_at datetime NOT NULL,
    recorded_by text NOT NULL,
    superseded_at datetime,
    CHECK (effective_through >= effective_from),
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, status) REFERENCES agency_pay_status (tenant_id, name)
);
CREATE INDEX agency_pay_status_period_live ON agency_pay_status_period (tenant_id, agent_id, effective_from) WHERE superseded_at IS NULL;
-- "A history is a list of non-overlapping periods" (Effective-dated history rules).
-- +goose StatementBegin
CREATE TRIGGER agency_pay_status_period_insert_overlap BEFORE INSERT ON agency_pay_status_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_pay_status_period: periods overlap') FROM agency_pay_status_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.agent_id = NEW.agent_id AND p.superseded_at IS NULL
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_pay_status_period_update_overlap BEFORE UPDATE ON agency_pay_status_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_pay_status_period: periods overlap') FROM agency_pay_status_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.agent_id = NEW.agent_id AND p.superseded_at IS NULL AND p.id <> NEW.id
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd

CREATE INDEX agency_pay_status_period_status ON agency_pay_status_period (tenant_id, status);

CREATE TABLE agency_upline_period (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    team_id integer NOT NULL,
    agent_id integer NOT NULL,
    upline_agent_id integer,
    deleted_upline_code text,
    effective_from text NOT NULL,
    effective_through text,
    recorded_at datetime NOT NULL,
    recorded_by text NOT NULL,
    superseded_at datetime,
    CHECK (effective_through >= effective_from),
    UNIQUE (tenant_id, id),
    CHECK (upline_agent_id <> agent_id),
    FOREIGN KEY (tenant_id, team_id) REFERENCES agency_team (tenant_id, id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, upline_agent_id) REFERENCES agency_agent (tenant_id, id)
);
CREATE INDEX agency_upline_period_live ON agency_upline_period (tenant_id, team_id, agent_id, effective_from) WHERE superseded_at IS NULL;
-- "A history is a list of non-overlapping periods" (Effective-dated history rules).
-- +goose StatementBegin
CREATE TRIGGER agency_upline_period_insert_overlap BEFORE INSERT ON agency_upline_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_upline_period: periods overlap') FROM agency_upline_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.team_id = NEW.team_id AND p.agent_id = NEW.agent_id AND p.superseded_at IS NULL
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_upline_period_update_overlap BEFORE UPDATE ON agency_upline_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_upline_period: periods overlap') FROM agency_upline_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.team_id = NEW.team_id AND p.agent_id = NEW.agent_id AND p.superseded_at IS NULL AND p.id <> NEW.id
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd

CREATE INDEX agency_upline_period_upline ON agency_upline_period (tenant_id, team_id, upline_agent_id, effective_from) WHERE superseded_at IS NULL;
CREATE INDEX agency_upline_period_upline_all ON agency_upline_period (tenant_id, upline_agent_id);

CREATE TABLE agency_level_period (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL,
    team_id integer NOT NULL,
    agent_id integer NOT NULL,
    level integer NOT NULL,
    effective_from text NOT NULL,
    effective_through text,
    recorded_at datetime NOT NULL,
    recorded_by text NOT NULL,
    superseded_at datetime,
    CHECK (effective_through >= effective_from),
    UNIQUE (tenant_id, id),
    FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE,
    FOREIGN KEY (tenant_id, team_id, level) REFERENCES agency_agent_level (tenant_id, team_id, value)
);
CREATE INDEX agency_level_period_live ON agency_level_period (tenant_id, team_id, agent_id, effective_from) WHERE superseded_at IS NULL;
-- "A history is a list of non-overlapping periods" (Effective-dated history rules).
-- +goose StatementBegin
CREATE TRIGGER agency_level_period_insert_overlap BEFORE INSERT ON agency_level_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_level_period: periods overlap') FROM agency_level_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.team_id = NEW.team_id AND p.agent_id = NEW.agent_id AND p.superseded_at IS NULL
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_level_period_update_overlap BEFORE UPDATE ON agency_level_period
WHEN NEW.superseded_at IS NULL
BEGIN
    SELECT RAISE(ABORT, 'agency_level_period: periods overlap') FROM agency_level_period p
    WHERE p.tenant_id = NEW.tenant_id AND p.team_id = NEW.team_id AND p.agent_id = NEW.agent_id AND p.superseded_at IS NULL AND p.id <> NEW.id
      AND p.effective_from <= coalesce(NEW.effective_through, '9999-12-31')
      AND coalesce(p.effective_through, '9999-12-31') >= NEW.effective_from;
END;
-- +goose StatementEnd

CREATE INDEX agency_level_period_level ON agency_level_period (tenant_id, team_id, level);

-- +goose Down
DROP TABLE agency_level_period;
DROP TABLE agency_upline_period;
DROP TABLE agency_pay_status_period;
