-- +goose Up
-- An agent has a suffix of the name, as an application has.
ALTER TABLE agency_agent ADD COLUMN suffix text;
DROP TRIGGER past_row ON agency_agent;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF code, first_name, middle_name, last_name, common_name, suffix, email, government_identifier, government_identifier_index, birth_date, gender, npn, customer_id, is_dedicated, start_date ON agency_agent FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_agent', 'tenant_id', 'id', '', 'id');
DROP VIEW agency_agent_past;
CREATE VIEW agency_agent_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.code, r.first_name, r.middle_name, r.last_name, r.common_name, r.email, r.first_name_key, r.last_name_key, r.common_name_key, r.email_key, r.government_identifier, r.government_identifier_index, r.birth_date, r.gender, r.npn, r.customer_id, r.is_dedicated, r.start_date, r.created_at, r.created_by, r.last_modified, r.last_modified_by, r.suffix, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_agent, p.image) r WHERE p.relation = 'agency_agent' AND p.image IS NOT NULL;
-- Names with accents, which are few, are found without them.
CREATE INDEX agency_agent_first_accented ON agency_agent (tenant_id, first_name_key) WHERE octet_length(first_name_key) <> char_length(first_name_key);
CREATE INDEX agency_agent_last_accented ON agency_agent (tenant_id, last_name_key) WHERE octet_length(last_name_key) <> char_length(last_name_key);

-- +goose Down
DROP INDEX agency_agent_first_accented;
DROP INDEX agency_agent_last_accented;
DROP TRIGGER past_row ON agency_agent;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF code, first_name, middle_name, last_name, common_name, email, government_identifier, government_identifier_index, birth_date, gender, npn, customer_id, is_dedicated, start_date ON agency_agent FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_agent', 'tenant_id', 'id', '', 'id');
DROP VIEW agency_agent_past;
CREATE VIEW agency_agent_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.code, r.first_name, r.middle_name, r.last_name, r.common_name, r.email, r.first_name_key, r.last_name_key, r.common_name_key, r.email_key, r.government_identifier, r.government_identifier_index, r.birth_date, r.gender, r.npn, r.customer_id, r.is_dedicated, r.start_date, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_agent, p.image) r WHERE p.relation = 'agency_agent' AND p.image IS NOT NULL;
ALTER TABLE agency_agent DROP COLUMN suffix;
