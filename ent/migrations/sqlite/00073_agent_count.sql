-- +goose Up
-- How many agents each tenant has, so that a page of them tells its total without
-- counting. There is one writer, and so one row for each tenant; PostgreSQL has several.
CREATE TABLE agency_agent_count (
    tenant_id integer NOT NULL REFERENCES tenant (id),
    slot integer NOT NULL,
    agents integer NOT NULL,
    PRIMARY KEY (tenant_id, slot)
);
INSERT INTO agency_agent_count (tenant_id, slot, agents) SELECT tenant_id, 0, count(*) FROM agency_agent GROUP BY tenant_id;
-- +goose StatementBegin
CREATE TRIGGER agency_agent_added AFTER INSERT ON agency_agent BEGIN
    INSERT INTO agency_agent_count (tenant_id, slot, agents) VALUES (NEW.tenant_id, 0, 1)
        ON CONFLICT (tenant_id, slot) DO UPDATE SET agents = agents + 1;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_agent_removed AFTER DELETE ON agency_agent BEGIN
    UPDATE agency_agent_count SET agents = agents - 1 WHERE tenant_id = OLD.tenant_id AND slot = 0;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER agency_agent_removed;
DROP TRIGGER agency_agent_added;
DROP TABLE agency_agent_count;
