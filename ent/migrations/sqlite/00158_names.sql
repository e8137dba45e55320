-- +goose Up
-- An agent has a suffix of the name, as an application has.
DROP TRIGGER agency_agent_past_changed;
DROP TRIGGER agency_agent_past_removed;
DROP VIEW agency_agent_past;
ALTER TABLE agency_agent ADD COLUMN suffix text;
-- +goose StatementBegin
CREATE TRIGGER agency_agent_past_changed AFTER UPDATE OF code, first_name, middle_name, last_name, common_name, suffix, email, government_identifier, government_identifier_index, birth_date, gender, npn, customer_id, is_dedicated, start_date ON agency_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_agent', OLD.id, 0, (SELECT at FROM change_clock), OLD.id, json_object('code', OLD.code, 'first_name', OLD.first_name, 'middle_name', OLD.middle_name, 'last_name', OLD.last_name, 'common_name', OLD.common_name, 'suffix', OLD.suffix, 'email', OLD.email, 'first_name_key', OLD.first_name_key, 'last_name_key', OLD.last_name_key, 'common_name_key', OLD.common_name_key, 'email_key', OLD.email_key, 'government_identifier', CASE WHEN OLD.government_identifier IS NOT NULL THEN hex(OLD.government_identifier) END, 'government_identifier_index', CASE WHEN OLD.government_identifier_index IS NOT NULL THEN hex(OLD.government_identifier_index) END, 'birth_date', OLD.birth_date, 'gender', OLD.gender, 'npn', OLD.npn, 'customer_id', OLD.customer_id, 'is_dedicated', OLD.is_dedicated, 'start_date', OLD.start_date, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_agent_past_removed AFTER DELETE ON agency_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_agent', OLD.id, 0, (SELECT at FROM change_clock), OLD.id, json_object('code', OLD.code, 'first_name', OLD.first_name, 'middle_name', OLD.middle_name, 'last_name', OLD.last_name, 'common_name', OLD.common_name, 'suffix', OLD.suffix, 'email', OLD.email, 'first_name_key', OLD.first_name_key, 'last_name_key', OLD.last_name_key, 'common_name_key', OLD.common_name_key, 'email_key', OLD.email_key, 'government_identifier', CASE WHEN OLD.government_identifier IS NOT NULL THEN hex(OLD.government_identifier) END, 'government_identifier_index', CASE WHEN OLD.government_identifier_index IS NOT NULL THEN hex(OLD.government_identifier_index) END, 'birth_date', OLD.birth_date, 'gender', OLD.gender, 'npn', OLD.npn, 'customer_id', OLD.customer_id, 'is_dedicated', OLD.is_dedicated, 'start_date', OLD.start_date, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_agent_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'code' AS code, p.image ->> 'first_name' AS first_name, p.image ->> 'middle_name' AS middle_name, p.image ->> 'last_name' AS last_name, p.image ->> 'common_name' AS common_name, p.image ->> 'email' AS email, p.image ->> 'first_name_key' AS first_name_key, p.image ->> 'last_name_key' AS last_name_key, p.image ->> 'common_name_key' AS common_name_key, p.image ->> 'email_key' AS email_key, unhex(p.image ->> 'government_identifier') AS government_identifier, unhex(p.image ->> 'government_identifier_index') AS government_identifier_index, p.image ->> 'birth_date' AS birth_date, p.image ->> 'gender' AS gender, p.image ->> 'npn' AS npn, p.image ->> 'customer_id' AS customer_id, p.image ->> 'is_dedicated' AS is_dedicated, p.image ->> 'start_date' AS start_date, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.image ->> 'suffix' AS suffix, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_agent' AND p.image IS NOT NULL;
-- Names with accents, which are few, are found without them.
CREATE INDEX agency_agent_first_accented ON agency_agent (tenant_id, first_name_key) WHERE length(CAST(first_name_key AS blob)) <> length(first_name_key);
CREATE INDEX agency_agent_last_accented ON agency_agent (tenant_id, last_name_key) WHERE length(CAST(last_name_key AS blob)) <> length(last_name_key);

-- +goose Down
DROP INDEX agency_agent_first_accented;
DROP INDEX agency_agent_last_accented;
DROP TRIGGER agency_agent_past_changed;
DROP TRIGGER agency_agent_past_removed;
DROP VIEW agency_agent_past;
ALTER TABLE agency_agent DROP COLUMN suffix;
-- +goose StatementBegin
CREATE TRIGGER agency_agent_past_changed AFTER UPDATE OF code, first_name, middle_name, last_name, common_name, email, government_identifier, government_identifier_index, birth_date, gender, npn, customer_id, is_dedicated, start_date ON agency_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_agent', OLD.id, 0, (SELECT at FROM change_clock), OLD.id, json_object('code', OLD.code, 'first_name', OLD.first_name, 'middle_name', OLD.middle_name, 'last_name', OLD.last_name, 'common_name', OLD.common_name, 'email', OLD.email, 'first_name_key', OLD.first_name_key, 'last_name_key', OLD.last_name_key, 'common_name_key', OLD.common_name_key, 'email_key', OLD.email_key, 'government_identifier', CASE WHEN OLD.government_identifier IS NOT NULL THEN hex(OLD.government_identifier) END, 'government_identifier_index', CASE WHEN OLD.government_identifier_index IS NOT NULL THEN hex(OLD.government_identifier_index) END, 'birth_date', OLD.birth_date, 'gender', OLD.gender, 'npn', OLD.npn, 'customer_id', OLD.customer_id, 'is_dedicated', OLD.is_dedicated, 'start_date', OLD.start_date, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_agent_past_removed AFTER DELETE ON agency_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_agent', OLD.id, 0, (SELECT at FROM change_clock), OLD.id, json_object('code', OLD.code, 'first_name', OLD.first_name, 'middle_name', OLD.middle_name, 'last_name', OLD.last_name, 'common_name', OLD.common_name, 'email', OLD.email, 'first_name_key', OLD.first_name_key, 'last_name_key', OLD.last_name_key, 'common_name_key', OLD.common_name_key, 'email_key', OLD.email_key, 'government_identifier', CASE WHEN OLD.government_identifier IS NOT NULL THEN hex(OLD.government_identifier) END, 'government_identifier_index', CASE WHEN OLD.government_identifier_index IS NOT NULL THEN hex(OLD.government_identifier_index) END, 'birth_date', OLD.birth_date, 'gender', OLD.gender, 'npn', OLD.npn, 'customer_id', OLD.customer_id, 'is_dedicated', OLD.is_dedicated, 'start_date', OLD.start_date, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_agent_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'code' AS code, p.image ->> 'first_name' AS first_name, p.image ->> 'middle_name' AS middle_name, p.image ->> 'last_name' AS last_name, p.image ->> 'common_name' AS common_name, p.image ->> 'email' AS email, p.image ->> 'first_name_key' AS first_name_key, p.image ->> 'last_name_key' AS last_name_key, p.image ->> 'common_name_key' AS common_name_key, p.image ->> 'email_key' AS email_key, unhex(p.image ->> 'government_identifier') AS government_identifier, unhex(p.image ->> 'government_identifier_index') AS government_identifier_index, p.image ->> 'birth_date' AS birth_date, p.image ->> 'gender' AS gender, p.image ->> 'npn' AS npn, p.image ->> 'customer_id' AS customer_id, p.image ->> 'is_dedicated' AS is_dedicated, p.image ->> 'start_date' AS start_date, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_agent' AND p.image IS NOT NULL;
