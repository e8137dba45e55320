-- +goose Up
-- When agents were last modified, in the order of lists. Every write of something of an
-- agent changes its last_modified; with an index on that column, PostgreSQL writes all ten
-- indexes of the agent anew each time, and without one only the row.
-- Servers may go on meanwhile: whoever writes an agent waits for the triggers.
LOCK TABLE agency_agent IN SHARE ROW EXCLUSIVE MODE;
CREATE TABLE agency_agent_modified (
    tenant_id bigint NOT NULL,
    agent_id bigint NOT NULL,
    last_modified timestamptz NOT NULL,
    PRIMARY KEY (tenant_id, agent_id)
);
INSERT INTO agency_agent_modified (tenant_id, agent_id, last_modified) SELECT tenant_id, id, last_modified FROM agency_agent;
CREATE INDEX agency_agent_modified_order ON agency_agent_modified (tenant_id, last_modified, agent_id);
ALTER TABLE agency_agent_modified ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON agency_agent_modified USING (tenant_id = app_tenant());
ALTER TABLE agency_agent_modified SET (autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);
-- +goose StatementBegin
CREATE FUNCTION agency_agent_modified() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO agency_agent_modified (tenant_id, agent_id, last_modified) VALUES (NEW.tenant_id, NEW.id, NEW.last_modified);
    ELSIF TG_OP = 'UPDATE' THEN
        UPDATE agency_agent_modified SET last_modified = NEW.last_modified WHERE tenant_id = NEW.tenant_id AND agent_id = NEW.id;
    ELSE
        DELETE FROM agency_agent_modified WHERE tenant_id = OLD.tenant_id AND agent_id = OLD.id;
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER agency_agent_modified AFTER INSERT OR DELETE OR UPDATE OF last_modified ON agency_agent
    FOR EACH ROW EXECUTE FUNCTION agency_agent_modified();
DROP INDEX agency_agent_last_modified;
-- Room on each page for the next version of a row, which then needs no entry in an index.
ALTER TABLE agency_agent SET (fillfactor = 85);
ALTER TABLE hierarchy_build SET (fillfactor = 50);
ALTER TABLE audit_head SET (fillfactor = 50);

-- +goose Down
ALTER TABLE audit_head RESET (fillfactor);
ALTER TABLE hierarchy_build RESET (fillfactor);
ALTER TABLE agency_agent RESET (fillfactor);
CREATE INDEX agency_agent_last_modified ON agency_agent (tenant_id, last_modified, id);
DROP TRIGGER agency_agent_modified ON agency_agent;
DROP FUNCTION agency_agent_modified();
DROP TABLE agency_agent_modified;
