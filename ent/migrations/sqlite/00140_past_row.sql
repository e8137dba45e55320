-- +goose Up
-- Why a change was made, as the caller said it.
ALTER TABLE audit_entry ADD COLUMN reason text NOT NULL DEFAULT '';
-- Since when an agency that is older than this migration has the values of its changes.
ALTER TABLE tenant ADD COLUMN values_kept_since datetime;
UPDATE tenant SET values_kept_since = strftime('%Y-%m-%d %H:%M:%f', 'now') || '+00:00';
-- Rows as they were before people changed them. Triggers keep them, so no write can forget
-- it.
-- image is the row that ended at an instant, in JSON; NULL if there was none, or if it was
-- erased.
CREATE TABLE past_row (
    tenant_id integer NOT NULL,
    relation text NOT NULL,
    row_id integer NOT NULL,
    part integer NOT NULL DEFAULT 0,
    at datetime NOT NULL,
    agent_id integer,
    image text,
    PRIMARY KEY (tenant_id, relation, row_id, part, at)
) WITHOUT ROWID;
CREATE INDEX past_row_of_agent ON past_row (tenant_id, agent_id, at) WHERE agent_id IS NOT NULL;
-- The time of the change that the transaction makes (internal/platform/store,
-- Tx.ChangeAt); NULL between transactions, and for work that changes nothing that people
-- know, such as encrypting again.
CREATE TABLE change_clock (id integer PRIMARY KEY, at datetime);
INSERT INTO change_clock (id) VALUES (1);
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
-- +goose StatementBegin
CREATE TRIGGER agency_address_past_changed AFTER UPDATE OF agent_id, kind, line1, line2, city, jurisdiction, postal_code, country ON agency_address WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_address', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'kind', OLD.kind, 'line1', OLD.line1, 'line2', OLD.line2, 'city', OLD.city, 'jurisdiction', OLD.jurisdiction, 'postal_code', OLD.postal_code, 'country', OLD.country)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_address_past_removed AFTER DELETE ON agency_address WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_address', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'kind', OLD.kind, 'line1', OLD.line1, 'line2', OLD.line2, 'city', OLD.city, 'jurisdiction', OLD.jurisdiction, 'postal_code', OLD.postal_code, 'country', OLD.country)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_address_past_added AFTER INSERT ON agency_address WHEN (SELECT at FROM change_clock) IS NOT NULL AND (SELECT a.created_at FROM agency_agent a WHERE a.tenant_id = NEW.tenant_id AND a.id = NEW.agent_id) < (SELECT at FROM change_clock) BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (NEW.tenant_id, 'agency_address', NEW.id, 0, (SELECT at FROM change_clock), NEW.agent_id, NULL) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_address_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'kind' AS kind, p.image ->> 'line1' AS line1, p.image ->> 'line2' AS line2, p.image ->> 'city' AS city, p.image ->> 'jurisdiction' AS jurisdiction, p.image ->> 'postal_code' AS postal_code, p.image ->> 'country' AS country, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_address' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_phone_past_changed AFTER UPDATE OF agent_id, kind, country_code, area_code, phone_number ON agency_phone WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_phone', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'kind', OLD.kind, 'country_code', OLD.country_code, 'area_code', OLD.area_code, 'phone_number', OLD.phone_number)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_phone_past_removed AFTER DELETE ON agency_phone WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_phone', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'kind', OLD.kind, 'country_code', OLD.country_code, 'area_code', OLD.area_code, 'phone_number', OLD.phone_number)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_phone_past_added AFTER INSERT ON agency_phone WHEN (SELECT at FROM change_clock) IS NOT NULL AND (SELECT a.created_at FROM agency_agent a WHERE a.tenant_id = NEW.tenant_id AND a.id = NEW.agent_id) < (SELECT at FROM change_clock) BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (NEW.tenant_id, 'agency_phone', NEW.id, 0, (SELECT at FROM change_clock), NEW.agent_id, NULL) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_phone_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'kind' AS kind, p.image ->> 'country_code' AS country_code, p.image ->> 'area_code' AS area_code, p.image ->> 'phone_number' AS phone_number, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_phone' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_direct_deposit_past_changed AFTER UPDATE OF agent_id, country, account_holder_name, bank_name, account_type, routing_number, institution_number, transit_number, account_number ON agency_direct_deposit WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_direct_deposit', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'country', OLD.country, 'account_holder_name', OLD.account_holder_name, 'bank_name', OLD.bank_name, 'account_type', OLD.account_type, 'routing_number', CASE WHEN OLD.routing_number IS NOT NULL THEN hex(OLD.routing_number) END, 'institution_number', CASE WHEN OLD.institution_number IS NOT NULL THEN hex(OLD.institution_number) END, 'transit_number', CASE WHEN OLD.transit_number IS NOT NULL THEN hex(OLD.transit_number) END, 'account_number', CASE WHEN OLD.account_number IS NOT NULL THEN hex(OLD.account_number) END, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_direct_deposit_past_removed AFTER DELETE ON agency_direct_deposit WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_direct_deposit', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'country', OLD.country, 'account_holder_name', OLD.account_holder_name, 'bank_name', OLD.bank_name, 'account_type', OLD.account_type, 'routing_number', CASE WHEN OLD.routing_number IS NOT NULL THEN hex(OLD.routing_number) END, 'institution_number', CASE WHEN OLD.institution_number IS NOT NULL THEN hex(OLD.institution_number) END, 'transit_number', CASE WHEN OLD.transit_number IS NOT NULL THEN hex(OLD.transit_number) END, 'account_number', CASE WHEN OLD.account_number IS NOT NULL THEN hex(OLD.account_number) END, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_direct_deposit_past_added AFTER INSERT ON agency_direct_deposit WHEN (SELECT at FROM change_clock) IS NOT NULL AND (SELECT a.created_at FROM agency_agent a WHERE a.tenant_id = NEW.tenant_id AND a.id = NEW.agent_id) < (SELECT at FROM change_clock) BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (NEW.tenant_id, 'agency_direct_deposit', NEW.id, 0, (SELECT at FROM change_clock), NEW.agent_id, NULL) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_direct_deposit_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'country' AS country, p.image ->> 'account_holder_name' AS account_holder_name, p.image ->> 'bank_name' AS bank_name, p.image ->> 'account_type' AS account_type, unhex(p.image ->> 'routing_number') AS routing_number, unhex(p.image ->> 'institution_number') AS institution_number, unhex(p.image ->> 'transit_number') AS transit_number, unhex(p.image ->> 'account_number') AS account_number, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_direct_deposit' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_alias_past_changed AFTER UPDATE OF agent_id, identifier, provider_company ON agency_alias WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_alias', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'identifier', OLD.identifier, 'provider_company', OLD.provider_company, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_alias_past_removed AFTER DELETE ON agency_alias WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_alias', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'identifier', OLD.identifier, 'provider_company', OLD.provider_company, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_alias_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'identifier' AS identifier, p.image ->> 'provider_company' AS provider_company, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_alias' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_tag_assignment_past_changed AFTER UPDATE OF agent_id, tag ON agency_tag_assignment WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_tag_assignment', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'tag', OLD.tag, 'assigned_at', OLD.assigned_at, 'assigned_by', OLD.assigned_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_tag_assignment_past_removed AFTER DELETE ON agency_tag_assignment WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_tag_assignment', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'tag', OLD.tag, 'assigned_at', OLD.assigned_at, 'assigned_by', OLD.assigned_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_tag_assignment_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'tag' AS tag, p.image ->> 'assigned_at' AS assigned_at, p.image ->> 'assigned_by' AS assigned_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_tag_assignment' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_certification_past_changed AFTER UPDATE OF agent_id, type, provider_company, jurisdiction, identifier, is_resident_certification, is_verified, note ON agency_certification WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_certification', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'type', OLD.type, 'provider_company', OLD.provider_company, 'jurisdiction', OLD.jurisdiction, 'identifier', OLD.identifier, 'is_resident_certification', OLD.is_resident_certification, 'is_verified', OLD.is_verified, 'note', OLD.note, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_certification_past_removed AFTER DELETE ON agency_certification WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_certification', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'type', OLD.type, 'provider_company', OLD.provider_company, 'jurisdiction', OLD.jurisdiction, 'identifier', OLD.identifier, 'is_resident_certification', OLD.is_resident_certification, 'is_verified', OLD.is_verified, 'note', OLD.note, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_certification_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'type' AS type, p.image ->> 'provider_company' AS provider_company, p.image ->> 'jurisdiction' AS jurisdiction, p.image ->> 'identifier' AS identifier, p.image ->> 'is_resident_certification' AS is_resident_certification, p.image ->> 'is_verified' AS is_verified, p.image ->> 'note' AS note, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_certification' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_w9_past_changed AFTER UPDATE OF agent_id, name, business_name, tax_classification, exempt_payee, street_address, city, state, zip_code, account_number, taxpayer_identifier, taxpayer_identifier_index, signature, signature_date ON agency_w9 WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_w9', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'name', OLD.name, 'business_name', OLD.business_name, 'tax_classification', OLD.tax_classification, 'exempt_payee', OLD.exempt_payee, 'street_address', OLD.street_address, 'city', OLD.city, 'state', OLD.state, 'zip_code', OLD.zip_code, 'account_number', CASE WHEN OLD.account_number IS NOT NULL THEN hex(OLD.account_number) END, 'taxpayer_identifier', CASE WHEN OLD.taxpayer_identifier IS NOT NULL THEN hex(OLD.taxpayer_identifier) END, 'taxpayer_identifier_index', CASE WHEN OLD.taxpayer_identifier_index IS NOT NULL THEN hex(OLD.taxpayer_identifier_index) END, 'signature', CASE WHEN OLD.signature IS NOT NULL THEN hex(OLD.signature) END, 'signature_date', OLD.signature_date, 'created_at', OLD.created_at, 'created_by', OLD.created_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_w9_past_removed AFTER DELETE ON agency_w9 WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_w9', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'name', OLD.name, 'business_name', OLD.business_name, 'tax_classification', OLD.tax_classification, 'exempt_payee', OLD.exempt_payee, 'street_address', OLD.street_address, 'city', OLD.city, 'state', OLD.state, 'zip_code', OLD.zip_code, 'account_number', CASE WHEN OLD.account_number IS NOT NULL THEN hex(OLD.account_number) END, 'taxpayer_identifier', CASE WHEN OLD.taxpayer_identifier IS NOT NULL THEN hex(OLD.taxpayer_identifier) END, 'taxpayer_identifier_index', CASE WHEN OLD.taxpayer_identifier_index IS NOT NULL THEN hex(OLD.taxpayer_identifier_index) END, 'signature', CASE WHEN OLD.signature IS NOT NULL THEN hex(OLD.signature) END, 'signature_date', OLD.signature_date, 'created_at', OLD.created_at, 'created_by', OLD.created_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_w9_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'name' AS name, p.image ->> 'business_name' AS business_name, p.image ->> 'tax_classification' AS tax_classification, p.image ->> 'exempt_payee' AS exempt_payee, p.image ->> 'street_address' AS street_address, p.image ->> 'city' AS city, p.image ->> 'state' AS state, p.image ->> 'zip_code' AS zip_code, unhex(p.image ->> 'account_number') AS account_number, unhex(p.image ->> 'taxpayer_identifier') AS taxpayer_identifier, unhex(p.image ->> 'taxpayer_identifier_index') AS taxpayer_identifier_index, unhex(p.image ->> 'signature') AS signature, p.image ->> 'signature_date' AS signature_date, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_w9' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER identity_user_past_changed AFTER UPDATE OF username, email, status, external_id, withdrawn_at ON identity_user WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_user', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('username', OLD.username, 'username_key', OLD.username_key, 'email', OLD.email, 'email_key', OLD.email_key, 'status', OLD.status, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'external_id', OLD.external_id, 'withdrawn_at', OLD.withdrawn_at)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER identity_user_past_removed AFTER DELETE ON identity_user WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_user', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('username', OLD.username, 'username_key', OLD.username_key, 'email', OLD.email, 'email_key', OLD.email_key, 'status', OLD.status, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'external_id', OLD.external_id, 'withdrawn_at', OLD.withdrawn_at)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW identity_user_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'username' AS username, p.image ->> 'username_key' AS username_key, p.image ->> 'email' AS email, p.image ->> 'email_key' AS email_key, p.image ->> 'status' AS status, NULL AS password_hash, NULL AS last_sign_in_at, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.image ->> 'external_id' AS external_id, p.image ->> 'withdrawn_at' AS withdrawn_at, p.at AS past_until
    FROM past_row p WHERE p.relation = 'identity_user' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER identity_user_role_past_removed AFTER DELETE ON identity_user_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_user_role', OLD.user_id, OLD.role_id, (SELECT at FROM change_clock), NULL, json_object()) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER identity_user_role_past_added AFTER INSERT ON identity_user_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (NEW.tenant_id, 'identity_user_role', NEW.user_id, NEW.role_id, (SELECT at FROM change_clock), NULL, NULL) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW identity_user_role_past AS SELECT p.tenant_id AS tenant_id, p.row_id AS user_id, p.part AS role_id, p.at AS past_until
    FROM past_row p WHERE p.relation = 'identity_user_role' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER identity_user_agent_past_changed AFTER UPDATE OF agent_id ON identity_user_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_user_agent', OLD.user_id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER identity_user_agent_past_removed AFTER DELETE ON identity_user_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_user_agent', OLD.user_id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER identity_user_agent_past_added AFTER INSERT ON identity_user_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (NEW.tenant_id, 'identity_user_agent', NEW.user_id, 0, (SELECT at FROM change_clock), NEW.agent_id, NULL) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW identity_user_agent_past AS SELECT p.tenant_id AS tenant_id, p.row_id AS user_id, p.image ->> 'agent_id' AS agent_id, p.at AS past_until
    FROM past_row p WHERE p.relation = 'identity_user_agent' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER identity_role_past_changed AFTER UPDATE OF name, description, scopes, is_system, limited_to_downline ON identity_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_role', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'scopes', OLD.scopes, 'is_system', OLD.is_system, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'limited_to_downline', OLD.limited_to_downline, 'name_key', OLD.name_key)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER identity_role_past_removed AFTER DELETE ON identity_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_role', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'scopes', OLD.scopes, 'is_system', OLD.is_system, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'limited_to_downline', OLD.limited_to_downline, 'name_key', OLD.name_key)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW identity_role_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'name' AS name, p.image ->> 'description' AS description, p.image ->> 'scopes' AS scopes, p.image ->> 'is_system' AS is_system, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.image ->> 'limited_to_downline' AS limited_to_downline, p.image ->> 'name_key' AS name_key, p.at AS past_until
    FROM past_row p WHERE p.relation = 'identity_role' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER identity_client_past_changed AFTER UPDATE OF client_id, scopes, is_disabled, expires_at, description, is_public, redirect_uris, trusted_documents, public_keys ON identity_client WHEN (SELECT at FROM change_clock) IS NOT NULL AND OLD.tenant_id IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_client', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('client_id', OLD.client_id, 'scopes', OLD.scopes, 'is_disabled', OLD.is_disabled, 'created_at', OLD.created_at, 'expires_at', OLD.expires_at, 'description', OLD.description, 'is_public', OLD.is_public, 'redirect_uris', OLD.redirect_uris, 'last_modified', OLD.last_modified, 'trusted_documents', OLD.trusted_documents, 'public_keys', OLD.public_keys)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER identity_client_past_removed AFTER DELETE ON identity_client WHEN (SELECT at FROM change_clock) IS NOT NULL AND OLD.tenant_id IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_client', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('client_id', OLD.client_id, 'scopes', OLD.scopes, 'is_disabled', OLD.is_disabled, 'created_at', OLD.created_at, 'expires_at', OLD.expires_at, 'description', OLD.description, 'is_public', OLD.is_public, 'redirect_uris', OLD.redirect_uris, 'last_modified', OLD.last_modified, 'trusted_documents', OLD.trusted_documents, 'public_keys', OLD.public_keys)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW identity_client_past AS SELECT p.row_id AS id, p.image ->> 'client_id' AS client_id, p.tenant_id AS tenant_id, NULL AS secret_hash, p.image ->> 'scopes' AS scopes, p.image ->> 'is_disabled' AS is_disabled, p.image ->> 'created_at' AS created_at, NULL AS previous_secret_hash, NULL AS previous_secret_until, p.image ->> 'expires_at' AS expires_at, NULL AS last_used_at, p.image ->> 'description' AS description, p.image ->> 'is_public' AS is_public, p.image ->> 'redirect_uris' AS redirect_uris, p.image ->> 'last_modified' AS last_modified, p.image ->> 'trusted_documents' AS trusted_documents, p.image ->> 'public_keys' AS public_keys, p.at AS past_until
    FROM past_row p WHERE p.relation = 'identity_client' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER webhook_subscription_past_changed AFTER UPDATE OF uid, url, events, description, max_retries, retry_delay_minutes, is_ordered, is_active ON webhook_subscription WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'webhook_subscription', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'url', OLD.url, 'events', OLD.events, 'description', OLD.description, 'max_retries', OLD.max_retries, 'retry_delay_minutes', OLD.retry_delay_minutes, 'is_ordered', OLD.is_ordered, 'is_active', OLD.is_active, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER webhook_subscription_past_removed AFTER DELETE ON webhook_subscription WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'webhook_subscription', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'url', OLD.url, 'events', OLD.events, 'description', OLD.description, 'max_retries', OLD.max_retries, 'retry_delay_minutes', OLD.retry_delay_minutes, 'is_ordered', OLD.is_ordered, 'is_active', OLD.is_active, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW webhook_subscription_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'uid' AS uid, p.image ->> 'url' AS url, p.image ->> 'events' AS events, p.image ->> 'description' AS description, NULL AS headers, p.image ->> 'max_retries' AS max_retries, p.image ->> 'retry_delay_minutes' AS retry_delay_minutes, p.image ->> 'is_ordered' AS is_ordered, p.image ->> 'is_active' AS is_active, NULL AS secret, NULL AS previous_secret, NULL AS previous_secret_until, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, NULL AS last_sequence, NULL AS wakes, NULL AS holder, NULL AS held_until, NULL AS failures, NULL AS probe_at, NULL AS deliveries, p.at AS past_until
    FROM past_row p WHERE p.relation = 'webhook_subscription' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER insights_agency_recipe_past_changed AFTER UPDATE OF uid, name, description, dataset, definition, version ON insights_agency_recipe WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'insights_agency_recipe', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'name', OLD.name, 'name_key', OLD.name_key, 'description', OLD.description, 'dataset', OLD.dataset, 'definition', OLD.definition, 'version', OLD.version, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER insights_agency_recipe_past_removed AFTER DELETE ON insights_agency_recipe WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'insights_agency_recipe', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'name', OLD.name, 'name_key', OLD.name_key, 'description', OLD.description, 'dataset', OLD.dataset, 'definition', OLD.definition, 'version', OLD.version, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW insights_agency_recipe_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'uid' AS uid, p.image ->> 'name' AS name, p.image ->> 'name_key' AS name_key, p.image ->> 'description' AS description, p.image ->> 'dataset' AS dataset, p.image ->> 'definition' AS definition, p.image ->> 'version' AS version, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'insights_agency_recipe' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER insights_commission_payment_past_changed AFTER UPDATE OF agent_id, paid_on, amount_cents, reference ON insights_commission_payment WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'insights_commission_payment', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'paid_on', OLD.paid_on, 'amount_cents', OLD.amount_cents, 'recorded_at', OLD.recorded_at, 'recorded_by', OLD.recorded_by, 'reference', OLD.reference)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER insights_commission_payment_past_removed AFTER DELETE ON insights_commission_payment WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'insights_commission_payment', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'paid_on', OLD.paid_on, 'amount_cents', OLD.amount_cents, 'recorded_at', OLD.recorded_at, 'recorded_by', OLD.recorded_by, 'reference', OLD.reference)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW insights_commission_payment_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'paid_on' AS paid_on, p.image ->> 'amount_cents' AS amount_cents, p.image ->> 'recorded_at' AS recorded_at, p.image ->> 'recorded_by' AS recorded_by, p.image ->> 'reference' AS reference, p.at AS past_until
    FROM past_row p WHERE p.relation = 'insights_commission_payment' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER insights_production_record_past_changed AFTER UPDATE OF agent_id, provider_company, policy_number, product_line, submitted_on, issued_on, placed_on, annual_premium_cents ON insights_production_record WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'insights_production_record', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'provider_company', OLD.provider_company, 'policy_number', OLD.policy_number, 'product_line', OLD.product_line, 'submitted_on', OLD.submitted_on, 'issued_on', OLD.issued_on, 'placed_on', OLD.placed_on, 'annual_premium_cents', OLD.annual_premium_cents, 'recorded_at', OLD.recorded_at, 'recorded_by', OLD.recorded_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER insights_production_record_past_removed AFTER DELETE ON insights_production_record WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'insights_production_record', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'provider_company', OLD.provider_company, 'policy_number', OLD.policy_number, 'product_line', OLD.product_line, 'submitted_on', OLD.submitted_on, 'issued_on', OLD.issued_on, 'placed_on', OLD.placed_on, 'annual_premium_cents', OLD.annual_premium_cents, 'recorded_at', OLD.recorded_at, 'recorded_by', OLD.recorded_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW insights_production_record_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'provider_company' AS provider_company, p.image ->> 'policy_number' AS policy_number, p.image ->> 'product_line' AS product_line, p.image ->> 'submitted_on' AS submitted_on, p.image ->> 'issued_on' AS issued_on, p.image ->> 'placed_on' AS placed_on, p.image ->> 'annual_premium_cents' AS annual_premium_cents, p.image ->> 'recorded_at' AS recorded_at, p.image ->> 'recorded_by' AS recorded_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'insights_production_record' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER tenant_past_changed AFTER UPDATE OF identifier, name, time_zone, default_page_size, max_page_size, master_tenant_id, mask_sensitive, default_user_status, min_password_length, password_sign_in ON tenant WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.id, 'tenant', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('identifier', OLD.identifier, 'name', OLD.name, 'time_zone', OLD.time_zone, 'default_page_size', OLD.default_page_size, 'max_page_size', OLD.max_page_size, 'created_at', OLD.created_at, 'master_tenant_id', OLD.master_tenant_id, 'mask_sensitive', OLD.mask_sensitive, 'default_user_status', OLD.default_user_status, 'min_password_length', OLD.min_password_length, 'last_modified', OLD.last_modified, 'password_sign_in', OLD.password_sign_in, 'values_kept_since', OLD.values_kept_since)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_past_removed AFTER DELETE ON tenant WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.id, 'tenant', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('identifier', OLD.identifier, 'name', OLD.name, 'time_zone', OLD.time_zone, 'default_page_size', OLD.default_page_size, 'max_page_size', OLD.max_page_size, 'created_at', OLD.created_at, 'master_tenant_id', OLD.master_tenant_id, 'mask_sensitive', OLD.mask_sensitive, 'default_user_status', OLD.default_user_status, 'min_password_length', OLD.min_password_length, 'last_modified', OLD.last_modified, 'password_sign_in', OLD.password_sign_in, 'values_kept_since', OLD.values_kept_since)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW tenant_past AS SELECT p.row_id AS id, p.image ->> 'identifier' AS identifier, p.image ->> 'name' AS name, p.image ->> 'time_zone' AS time_zone, p.image ->> 'default_page_size' AS default_page_size, p.image ->> 'max_page_size' AS max_page_size, p.image ->> 'created_at' AS created_at, p.image ->> 'master_tenant_id' AS master_tenant_id, p.image ->> 'mask_sensitive' AS mask_sensitive, p.image ->> 'default_user_status' AS default_user_status, p.image ->> 'min_password_length' AS min_password_length, p.image ->> 'last_modified' AS last_modified, p.image ->> 'password_sign_in' AS password_sign_in, p.image ->> 'values_kept_since' AS values_kept_since, p.at AS past_until
    FROM past_row p WHERE p.relation = 'tenant' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_agent_level_past_changed AFTER UPDATE OF team_id, value, name, description, is_enabled ON agency_agent_level WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_agent_level', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('team_id', OLD.team_id, 'value', OLD.value, 'name', OLD.name, 'description', OLD.description, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_agent_level_past_removed AFTER DELETE ON agency_agent_level WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_agent_level', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('team_id', OLD.team_id, 'value', OLD.value, 'name', OLD.name, 'description', OLD.description, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_agent_level_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'team_id' AS team_id, p.image ->> 'value' AS value, p.image ->> 'name' AS name, p.image ->> 'description' AS description, p.image ->> 'is_enabled' AS is_enabled, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_agent_level' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_product_past_changed AFTER UPDATE OF code, name, description, line_of_authority, is_watched, is_enabled ON agency_product WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_product', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'description', OLD.description, 'line_of_authority', OLD.line_of_authority, 'is_watched', OLD.is_watched, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_product_past_removed AFTER DELETE ON agency_product WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_product', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'description', OLD.description, 'line_of_authority', OLD.line_of_authority, 'is_watched', OLD.is_watched, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_product_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'code' AS code, p.image ->> 'name' AS name, p.image ->> 'description' AS description, p.image ->> 'line_of_authority' AS line_of_authority, p.image ->> 'is_watched' AS is_watched, p.image ->> 'is_enabled' AS is_enabled, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_product' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_certification_type_past_changed AFTER UPDATE OF code, name, description, category, requires_jurisdiction, requires_provider_company, is_enabled ON agency_certification_type WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_certification_type', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'description', OLD.description, 'category', OLD.category, 'requires_jurisdiction', OLD.requires_jurisdiction, 'requires_provider_company', OLD.requires_provider_company, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_certification_type_past_removed AFTER DELETE ON agency_certification_type WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_certification_type', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'description', OLD.description, 'category', OLD.category, 'requires_jurisdiction', OLD.requires_jurisdiction, 'requires_provider_company', OLD.requires_provider_company, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_certification_type_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'code' AS code, p.image ->> 'name' AS name, p.image ->> 'description' AS description, p.image ->> 'category' AS category, p.image ->> 'requires_jurisdiction' AS requires_jurisdiction, p.image ->> 'requires_provider_company' AS requires_provider_company, p.image ->> 'is_enabled' AS is_enabled, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_certification_type' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_jurisdiction_past_changed AFTER UPDATE OF code, name, country, kind, is_enabled ON agency_jurisdiction WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_jurisdiction', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'country', OLD.country, 'kind', OLD.kind, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_jurisdiction_past_removed AFTER DELETE ON agency_jurisdiction WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_jurisdiction', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'country', OLD.country, 'kind', OLD.kind, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_jurisdiction_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'code' AS code, p.image ->> 'name' AS name, p.image ->> 'country' AS country, p.image ->> 'kind' AS kind, p.image ->> 'is_enabled' AS is_enabled, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_jurisdiction' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_pay_status_past_changed AFTER UPDATE OF name, description, is_active, can_be_paid, sort_order ON agency_pay_status WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_pay_status', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'is_active', OLD.is_active, 'can_be_paid', OLD.can_be_paid, 'sort_order', OLD.sort_order, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_pay_status_past_removed AFTER DELETE ON agency_pay_status WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_pay_status', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'is_active', OLD.is_active, 'can_be_paid', OLD.can_be_paid, 'sort_order', OLD.sort_order, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_pay_status_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'name' AS name, p.image ->> 'description' AS description, p.image ->> 'is_active' AS is_active, p.image ->> 'can_be_paid' AS can_be_paid, p.image ->> 'sort_order' AS sort_order, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_pay_status' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_provider_company_past_changed AFTER UPDATE OF code, name, naic_code, is_enabled ON agency_provider_company WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_provider_company', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'naic_code', OLD.naic_code, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_provider_company_past_removed AFTER DELETE ON agency_provider_company WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_provider_company', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'naic_code', OLD.naic_code, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_provider_company_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'code' AS code, p.image ->> 'name' AS name, p.image ->> 'naic_code' AS naic_code, p.image ->> 'is_enabled' AS is_enabled, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_provider_company' AND p.image IS NOT NULL;
-- +goose StatementBegin
CREATE TRIGGER agency_tag_past_changed AFTER UPDATE OF name, description, color ON agency_tag WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_tag', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'color', OLD.color, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agency_tag_past_removed AFTER DELETE ON agency_tag WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_tag', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'color', OLD.color, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW agency_tag_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'name' AS name, p.image ->> 'description' AS description, p.image ->> 'color' AS color, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_tag' AND p.image IS NOT NULL;

-- +goose Down
DROP TRIGGER agency_tag_past_changed;
DROP TRIGGER agency_tag_past_removed;
DROP VIEW agency_tag_past;
DROP TRIGGER agency_provider_company_past_changed;
DROP TRIGGER agency_provider_company_past_removed;
DROP VIEW agency_provider_company_past;
DROP TRIGGER agency_pay_status_past_changed;
DROP TRIGGER agency_pay_status_past_removed;
DROP VIEW agency_pay_status_past;
DROP TRIGGER agency_jurisdiction_past_changed;
DROP TRIGGER agency_jurisdiction_past_removed;
DROP VIEW agency_jurisdiction_past;
DROP TRIGGER agency_certification_type_past_changed;
DROP TRIGGER agency_certification_type_past_removed;
DROP VIEW agency_certification_type_past;
DROP TRIGGER agency_product_past_changed;
DROP TRIGGER agency_product_past_removed;
DROP VIEW agency_product_past;
DROP TRIGGER agency_agent_level_past_changed;
DROP TRIGGER agency_agent_level_past_removed;
DROP VIEW agency_agent_level_past;
DROP TRIGGER tenant_past_changed;
DROP TRIGGER tenant_past_removed;
DROP VIEW tenant_past;
DROP TRIGGER insights_production_record_past_changed;
DROP TRIGGER insights_production_record_past_removed;
DROP VIEW insights_production_record_past;
DROP TRIGGER insights_commission_payment_past_changed;
DROP TRIGGER insights_commission_payment_past_removed;
DROP VIEW insights_commission_payment_past;
DROP TRIGGER insights_agency_recipe_past_changed;
DROP TRIGGER insights_agency_recipe_past_removed;
DROP VIEW insights_agency_recipe_past;
DROP TRIGGER webhook_subscription_past_changed;
DROP TRIGGER webhook_subscription_past_removed;
DROP VIEW webhook_subscription_past;
DROP TRIGGER identity_client_past_changed;
DROP TRIGGER identity_client_past_removed;
DROP VIEW identity_client_past;
DROP TRIGGER identity_role_past_changed;
DROP TRIGGER identity_role_past_removed;
DROP VIEW identity_role_past;
DROP TRIGGER identity_user_agent_past_changed;
DROP TRIGGER identity_user_agent_past_removed;
DROP TRIGGER identity_user_agent_past_added;
DROP VIEW identity_user_agent_past;
DROP TRIGGER identity_user_role_past_removed;
DROP TRIGGER identity_user_role_past_added;
DROP VIEW identity_user_role_past;
DROP TRIGGER identity_user_past_changed;
DROP TRIGGER identity_user_past_removed;
DROP VIEW identity_user_past;
DROP TRIGGER agency_w9_past_changed;
DROP TRIGGER agency_w9_past_removed;
DROP VIEW agency_w9_past;
DROP TRIGGER agency_certification_past_changed;
DROP TRIGGER agency_certification_past_removed;
DROP VIEW agency_certification_past;
DROP TRIGGER agency_tag_assignment_past_changed;
DROP TRIGGER agency_tag_assignment_past_removed;
DROP VIEW agency_tag_assignment_past;
DROP TRIGGER agency_alias_past_changed;
DROP TRIGGER agency_alias_past_removed;
DROP VIEW agency_alias_past;
DROP TRIGGER agency_direct_deposit_past_changed;
DROP TRIGGER agency_direct_deposit_past_removed;
DROP TRIGGER agency_direct_deposit_past_added;
DROP VIEW agency_direct_deposit_past;
DROP TRIGGER agency_phone_past_changed;
DROP TRIGGER agency_phone_past_removed;
DROP TRIGGER agency_phone_past_added;
DROP VIEW agency_phone_past;
DROP TRIGGER agency_address_past_changed;
DROP TRIGGER agency_address_past_removed;
DROP TRIGGER agency_address_past_added;
DROP VIEW agency_address_past;
DROP TRIGGER agency_agent_past_changed;
DROP TRIGGER agency_agent_past_removed;
DROP VIEW agency_agent_past;
DROP TABLE change_clock;
DROP TABLE past_row;
ALTER TABLE audit_entry DROP COLUMN reason;
ALTER TABLE tenant DROP COLUMN values_kept_since;
