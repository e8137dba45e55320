-- +goose Up
-- When agents were last modified, in the order of lists. PostgreSQL has it in a table of
-- its own, since an index on what every write changes makes all others be written anew.
CREATE TABLE agency_agent_modified (
    tenant_id integer NOT NULL,
    agent_id integer NOT NULL,
    last_modified datetime NOT NULL,
    PRIMARY KEY (tenant_id, agent_id)
) WITHOUT ROWID;
INSERT INTO agency_agent_modified (tenant_id, agent_id, last_modified) SELECT tenant_id, id, last_modified FROM agency_agent;
CREATE INDEX agency_agent_modified_order ON agency_agent_modified (tenant_id, last_modified, agent_id);
-- +goose StatementBegin
CREATE TRIGGER agency_agent_modified_added AFTER INSERT ON agency_agent BEGIN
    INSERT INTO agency_agent_modified (tenant_id, agent_id, last_modified) VALUES (NEW.tenant_id, NEW.id, NEW.last_modified);
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_agent_modified_again AFTER UPDATE OF last_modified ON agency_agent BEGIN
    UPDATE agency_agent_modified SET last_modified = NEW.last_modified WHERE tenant_id = NEW.tenant_id AND agent_id = NEW.id;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_agent_modified_removed AFTER DELETE ON agency_agent BEGIN
    DELETE FROM agency_agent_modified WHERE tenant_id = OLD.tenant_id AND agent_id = OLD.id;
END;
-- +goose StatementEnd
DROP INDEX agency_agent_last_modified;

-- +goose Down
CREATE INDEX agency_agent_last_modified ON agency_agent (tenant_id, last_modified, id);
DROP TRIGGER agency_agent_modified_removed;
DROP TRIGGER agency_agent_modified_again;
DROP TRIGGER agency_agent_modified_added;
DROP TABLE agency_agent_modified;
