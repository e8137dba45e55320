-- +goose Up
-- gone says that the row was removed at the instant, and not changed: whoever asks what was known before
-- finds by it what is not there any more, and everything else where it is.
ALTER TABLE past_row ADD COLUMN gone boolean NOT NULL DEFAULT false;
CREATE INDEX past_row_gone ON past_row (tenant_id, relation, at) WHERE gone;
-- Whom a search as known then has to look at anew is found by when their rows ended.
CREATE INDEX past_row_at ON past_row (tenant_id, at, agent_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_agent' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_agent c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_address' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_address c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_phone' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_phone c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_direct_deposit' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_direct_deposit c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_alias' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_alias c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_tag_assignment' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_tag_assignment c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_certification' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_certification c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_w9' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_w9 c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_agent_level' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_agent_level c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_certification_type' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_certification_type c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_jurisdiction' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_jurisdiction c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_pay_status' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_pay_status c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_provider_company' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_provider_company c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_product' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_product c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_tag' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_tag c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_scenario' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_scenario c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'agency_scenario_role' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM agency_scenario_role c WHERE c.tenant_id = past_row.tenant_id AND c.scenario_id = past_row.row_id AND c.role_id = past_row.part);
UPDATE past_row SET gone = true WHERE relation = 'identity_user' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM identity_user c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'identity_user_role' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM identity_user_role c WHERE c.tenant_id = past_row.tenant_id AND c.user_id = past_row.row_id AND c.role_id = past_row.part);
UPDATE past_row SET gone = true WHERE relation = 'identity_user_agent' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM identity_user_agent c WHERE c.tenant_id = past_row.tenant_id AND c.user_id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'identity_role' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM identity_role c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'identity_client' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM identity_client c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'webhook_subscription' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM webhook_subscription c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'insights_agency_recipe' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM insights_agency_recipe c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'insights_commission_payment' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM insights_commission_payment c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
UPDATE past_row SET gone = true WHERE relation = 'insights_production_record' AND image IS NOT NULL AND NOT EXISTS (SELECT 1 FROM insights_production_record c WHERE c.tenant_id = past_row.tenant_id AND c.id = past_row.row_id);
DROP TRIGGER agency_agent_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_agent_past_removed AFTER DELETE ON agency_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_agent', OLD.id, 0, (SELECT at FROM change_clock), OLD.id, json_object('code', OLD.code, 'first_name', OLD.first_name, 'middle_name', OLD.middle_name, 'last_name', OLD.last_name, 'common_name', OLD.common_name, 'suffix', OLD.suffix, 'email', OLD.email, 'first_name_key', OLD.first_name_key, 'last_name_key', OLD.last_name_key, 'common_name_key', OLD.common_name_key, 'email_key', OLD.email_key, 'government_identifier', CASE WHEN OLD.government_identifier IS NOT NULL THEN hex(OLD.government_identifier) END, 'government_identifier_index', CASE WHEN OLD.government_identifier_index IS NOT NULL THEN hex(OLD.government_identifier_index) END, 'birth_date', OLD.birth_date, 'gender', OLD.gender, 'npn', OLD.npn, 'customer_id', OLD.customer_id, 'is_dedicated', OLD.is_dedicated, 'start_date', OLD.start_date, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_address_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_address_past_removed AFTER DELETE ON agency_address WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_address', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'kind', OLD.kind, 'line1', OLD.line1, 'line2', OLD.line2, 'city', OLD.city, 'jurisdiction', OLD.jurisdiction, 'postal_code', OLD.postal_code, 'country', OLD.country), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_phone_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_phone_past_removed AFTER DELETE ON agency_phone WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_phone', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'kind', OLD.kind, 'country_code', OLD.country_code, 'area_code', OLD.area_code, 'phone_number', OLD.phone_number), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_direct_deposit_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_direct_deposit_past_removed AFTER DELETE ON agency_direct_deposit WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_direct_deposit', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'country', OLD.country, 'account_holder_name', OLD.account_holder_name, 'bank_name', OLD.bank_name, 'account_type', OLD.account_type, 'routing_number', CASE WHEN OLD.routing_number IS NOT NULL THEN hex(OLD.routing_number) END, 'institution_number', CASE WHEN OLD.institution_number IS NOT NULL THEN hex(OLD.institution_number) END, 'transit_number', CASE WHEN OLD.transit_number IS NOT NULL THEN hex(OLD.transit_number) END, 'account_number', CASE WHEN OLD.account_number IS NOT NULL THEN hex(OLD.account_number) END, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_alias_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_alias_past_removed AFTER DELETE ON agency_alias WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_alias', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'identifier', OLD.identifier, 'provider_company', OLD.provider_company, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_tag_assignment_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_tag_assignment_past_removed AFTER DELETE ON agency_tag_assignment WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_tag_assignment', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'tag', OLD.tag, 'assigned_at', OLD.assigned_at, 'assigned_by', OLD.assigned_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_certification_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_certification_past_removed AFTER DELETE ON agency_certification WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_certification', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'type', OLD.type, 'provider_company', OLD.provider_company, 'jurisdiction', OLD.jurisdiction, 'identifier', OLD.identifier, 'is_resident_certification', OLD.is_resident_certification, 'is_verified', OLD.is_verified, 'note', OLD.note, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_w9_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_w9_past_removed AFTER DELETE ON agency_w9 WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_w9', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'name', OLD.name, 'business_name', OLD.business_name, 'tax_classification', OLD.tax_classification, 'exempt_payee', OLD.exempt_payee, 'street_address', OLD.street_address, 'city', OLD.city, 'state', OLD.state, 'zip_code', OLD.zip_code, 'account_number', CASE WHEN OLD.account_number IS NOT NULL THEN hex(OLD.account_number) END, 'taxpayer_identifier', CASE WHEN OLD.taxpayer_identifier IS NOT NULL THEN hex(OLD.taxpayer_identifier) END, 'taxpayer_identifier_index', CASE WHEN OLD.taxpayer_identifier_index IS NOT NULL THEN hex(OLD.taxpayer_identifier_index) END, 'signature', CASE WHEN OLD.signature IS NOT NULL THEN hex(OLD.signature) END, 'signature_date', OLD.signature_date, 'created_at', OLD.created_at, 'created_by', OLD.created_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_agent_level_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_agent_level_past_removed AFTER DELETE ON agency_agent_level WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_agent_level', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('team_id', OLD.team_id, 'value', OLD.value, 'name', OLD.name, 'description', OLD.description, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_certification_type_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_certification_type_past_removed AFTER DELETE ON agency_certification_type WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_certification_type', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'description', OLD.description, 'category', OLD.category, 'requires_jurisdiction', OLD.requires_jurisdiction, 'requires_provider_company', OLD.requires_provider_company, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_jurisdiction_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_jurisdiction_past_removed AFTER DELETE ON agency_jurisdiction WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_jurisdiction', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'country', OLD.country, 'kind', OLD.kind, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_pay_status_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_pay_status_past_removed AFTER DELETE ON agency_pay_status WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_pay_status', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'is_active', OLD.is_active, 'can_be_paid', OLD.can_be_paid, 'sort_order', OLD.sort_order, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_provider_company_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_provider_company_past_removed AFTER DELETE ON agency_provider_company WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_provider_company', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'naic_code', OLD.naic_code, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_product_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_product_past_removed AFTER DELETE ON agency_product WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_product', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'description', OLD.description, 'line_of_authority', OLD.line_of_authority, 'is_watched', OLD.is_watched, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_tag_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_tag_past_removed AFTER DELETE ON agency_tag WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_tag', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'color', OLD.color, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_scenario_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_past_removed AFTER DELETE ON agency_scenario WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_scenario', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'name', OLD.name, 'description', OLD.description, 'effective_from', OLD.effective_from, 'moves', OLD.moves, 'state', OLD.state, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'owner_id', OLD.owner_id), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER agency_scenario_role_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_role_past_removed AFTER DELETE ON agency_scenario_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'agency_scenario_role', OLD.scenario_id, OLD.role_id, (SELECT at FROM change_clock), NULL, json_object(), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER identity_user_past_removed;
-- +goose StatementBegin
CREATE TRIGGER identity_user_past_removed AFTER DELETE ON identity_user WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'identity_user', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('username', OLD.username, 'username_key', OLD.username_key, 'email', OLD.email, 'email_key', OLD.email_key, 'status', OLD.status, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'external_id', OLD.external_id, 'withdrawn_at', OLD.withdrawn_at), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER identity_user_role_past_removed;
-- +goose StatementBegin
CREATE TRIGGER identity_user_role_past_removed AFTER DELETE ON identity_user_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'identity_user_role', OLD.user_id, OLD.role_id, (SELECT at FROM change_clock), NULL, json_object(), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER identity_user_agent_past_removed;
-- +goose StatementBegin
CREATE TRIGGER identity_user_agent_past_removed AFTER DELETE ON identity_user_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'identity_user_agent', OLD.user_id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER identity_role_past_removed;
-- +goose StatementBegin
CREATE TRIGGER identity_role_past_removed AFTER DELETE ON identity_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'identity_role', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'scopes', OLD.scopes, 'is_system', OLD.is_system, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'limited_to_downline', OLD.limited_to_downline, 'name_key', OLD.name_key), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER identity_client_past_removed;
-- +goose StatementBegin
CREATE TRIGGER identity_client_past_removed AFTER DELETE ON identity_client WHEN (SELECT at FROM change_clock) IS NOT NULL AND OLD.tenant_id IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'identity_client', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('client_id', OLD.client_id, 'scopes', OLD.scopes, 'is_disabled', OLD.is_disabled, 'created_at', OLD.created_at, 'expires_at', OLD.expires_at, 'description', OLD.description, 'is_public', OLD.is_public, 'redirect_uris', OLD.redirect_uris, 'last_modified', OLD.last_modified, 'trusted_documents', OLD.trusted_documents, 'public_keys', OLD.public_keys), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER webhook_subscription_past_removed;
-- +goose StatementBegin
CREATE TRIGGER webhook_subscription_past_removed AFTER DELETE ON webhook_subscription WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'webhook_subscription', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'url', OLD.url, 'events', OLD.events, 'description', OLD.description, 'max_retries', OLD.max_retries, 'retry_delay_minutes', OLD.retry_delay_minutes, 'is_ordered', OLD.is_ordered, 'is_active', OLD.is_active, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER insights_agency_recipe_past_removed;
-- +goose StatementBegin
CREATE TRIGGER insights_agency_recipe_past_removed AFTER DELETE ON insights_agency_recipe WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'insights_agency_recipe', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'name', OLD.name, 'name_key', OLD.name_key, 'description', OLD.description, 'dataset', OLD.dataset, 'definition', OLD.definition, 'version', OLD.version, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER insights_commission_payment_past_removed;
-- +goose StatementBegin
CREATE TRIGGER insights_commission_payment_past_removed AFTER DELETE ON insights_commission_payment WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'insights_commission_payment', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'paid_on', OLD.paid_on, 'amount_cents', OLD.amount_cents, 'recorded_at', OLD.recorded_at, 'recorded_by', OLD.recorded_by, 'reference', OLD.reference), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER insights_production_record_past_removed;
-- +goose StatementBegin
CREATE TRIGGER insights_production_record_past_removed AFTER DELETE ON insights_production_record WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.tenant_id, 'insights_production_record', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'provider_company', OLD.provider_company, 'policy_number', OLD.policy_number, 'product_line', OLD.product_line, 'submitted_on', OLD.submitted_on, 'issued_on', OLD.issued_on, 'placed_on', OLD.placed_on, 'annual_premium_cents', OLD.annual_premium_cents, 'recorded_at', OLD.recorded_at, 'recorded_by', OLD.recorded_by), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd
DROP TRIGGER tenant_past_removed;
-- +goose StatementBegin
CREATE TRIGGER tenant_past_removed AFTER DELETE ON tenant WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES (OLD.id, 'tenant', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('identifier', OLD.identifier, 'name', OLD.name, 'time_zone', OLD.time_zone, 'default_page_size', OLD.default_page_size, 'max_page_size', OLD.max_page_size, 'created_at', OLD.created_at, 'master_tenant_id', OLD.master_tenant_id, 'mask_sensitive', OLD.mask_sensitive, 'default_user_status', OLD.default_user_status, 'min_password_length', OLD.min_password_length, 'last_modified', OLD.last_modified, 'password_sign_in', OLD.password_sign_in, 'values_kept_since', OLD.values_kept_since, 'values_kept_years', OLD.values_kept_years), true) ON CONFLICT DO UPDATE SET gone = true;
END;
-- +goose StatementEnd

-- +goose Down
DROP TRIGGER agency_agent_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_agent_past_removed AFTER DELETE ON agency_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_agent', OLD.id, 0, (SELECT at FROM change_clock), OLD.id, json_object('code', OLD.code, 'first_name', OLD.first_name, 'middle_name', OLD.middle_name, 'last_name', OLD.last_name, 'common_name', OLD.common_name, 'suffix', OLD.suffix, 'email', OLD.email, 'first_name_key', OLD.first_name_key, 'last_name_key', OLD.last_name_key, 'common_name_key', OLD.common_name_key, 'email_key', OLD.email_key, 'government_identifier', CASE WHEN OLD.government_identifier IS NOT NULL THEN hex(OLD.government_identifier) END, 'government_identifier_index', CASE WHEN OLD.government_identifier_index IS NOT NULL THEN hex(OLD.government_identifier_index) END, 'birth_date', OLD.birth_date, 'gender', OLD.gender, 'npn', OLD.npn, 'customer_id', OLD.customer_id, 'is_dedicated', OLD.is_dedicated, 'start_date', OLD.start_date, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_address_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_address_past_removed AFTER DELETE ON agency_address WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_address', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'kind', OLD.kind, 'line1', OLD.line1, 'line2', OLD.line2, 'city', OLD.city, 'jurisdiction', OLD.jurisdiction, 'postal_code', OLD.postal_code, 'country', OLD.country)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_phone_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_phone_past_removed AFTER DELETE ON agency_phone WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_phone', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'kind', OLD.kind, 'country_code', OLD.country_code, 'area_code', OLD.area_code, 'phone_number', OLD.phone_number)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_direct_deposit_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_direct_deposit_past_removed AFTER DELETE ON agency_direct_deposit WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_direct_deposit', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'country', OLD.country, 'account_holder_name', OLD.account_holder_name, 'bank_name', OLD.bank_name, 'account_type', OLD.account_type, 'routing_number', CASE WHEN OLD.routing_number IS NOT NULL THEN hex(OLD.routing_number) END, 'institution_number', CASE WHEN OLD.institution_number IS NOT NULL THEN hex(OLD.institution_number) END, 'transit_number', CASE WHEN OLD.transit_number IS NOT NULL THEN hex(OLD.transit_number) END, 'account_number', CASE WHEN OLD.account_number IS NOT NULL THEN hex(OLD.account_number) END, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_alias_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_alias_past_removed AFTER DELETE ON agency_alias WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_alias', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'identifier', OLD.identifier, 'provider_company', OLD.provider_company, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_tag_assignment_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_tag_assignment_past_removed AFTER DELETE ON agency_tag_assignment WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_tag_assignment', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'tag', OLD.tag, 'assigned_at', OLD.assigned_at, 'assigned_by', OLD.assigned_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_certification_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_certification_past_removed AFTER DELETE ON agency_certification WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_certification', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'type', OLD.type, 'provider_company', OLD.provider_company, 'jurisdiction', OLD.jurisdiction, 'identifier', OLD.identifier, 'is_resident_certification', OLD.is_resident_certification, 'is_verified', OLD.is_verified, 'note', OLD.note, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_w9_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_w9_past_removed AFTER DELETE ON agency_w9 WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_w9', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'name', OLD.name, 'business_name', OLD.business_name, 'tax_classification', OLD.tax_classification, 'exempt_payee', OLD.exempt_payee, 'street_address', OLD.street_address, 'city', OLD.city, 'state', OLD.state, 'zip_code', OLD.zip_code, 'account_number', CASE WHEN OLD.account_number IS NOT NULL THEN hex(OLD.account_number) END, 'taxpayer_identifier', CASE WHEN OLD.taxpayer_identifier IS NOT NULL THEN hex(OLD.taxpayer_identifier) END, 'taxpayer_identifier_index', CASE WHEN OLD.taxpayer_identifier_index IS NOT NULL THEN hex(OLD.taxpayer_identifier_index) END, 'signature', CASE WHEN OLD.signature IS NOT NULL THEN hex(OLD.signature) END, 'signature_date', OLD.signature_date, 'created_at', OLD.created_at, 'created_by', OLD.created_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_agent_level_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_agent_level_past_removed AFTER DELETE ON agency_agent_level WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_agent_level', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('team_id', OLD.team_id, 'value', OLD.value, 'name', OLD.name, 'description', OLD.description, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_certification_type_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_certification_type_past_removed AFTER DELETE ON agency_certification_type WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_certification_type', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'description', OLD.description, 'category', OLD.category, 'requires_jurisdiction', OLD.requires_jurisdiction, 'requires_provider_company', OLD.requires_provider_company, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_jurisdiction_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_jurisdiction_past_removed AFTER DELETE ON agency_jurisdiction WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_jurisdiction', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'country', OLD.country, 'kind', OLD.kind, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_pay_status_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_pay_status_past_removed AFTER DELETE ON agency_pay_status WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_pay_status', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'is_active', OLD.is_active, 'can_be_paid', OLD.can_be_paid, 'sort_order', OLD.sort_order, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_provider_company_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_provider_company_past_removed AFTER DELETE ON agency_provider_company WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_provider_company', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'naic_code', OLD.naic_code, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_product_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_product_past_removed AFTER DELETE ON agency_product WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_product', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('code', OLD.code, 'name', OLD.name, 'description', OLD.description, 'line_of_authority', OLD.line_of_authority, 'is_watched', OLD.is_watched, 'is_enabled', OLD.is_enabled, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_tag_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_tag_past_removed AFTER DELETE ON agency_tag WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_tag', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'color', OLD.color, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_scenario_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_past_removed AFTER DELETE ON agency_scenario WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_scenario', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'name', OLD.name, 'description', OLD.description, 'effective_from', OLD.effective_from, 'moves', OLD.moves, 'state', OLD.state, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'owner_id', OLD.owner_id)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER agency_scenario_role_past_removed;
-- +goose StatementBegin
CREATE TRIGGER agency_scenario_role_past_removed AFTER DELETE ON agency_scenario_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'agency_scenario_role', OLD.scenario_id, OLD.role_id, (SELECT at FROM change_clock), NULL, json_object()) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER identity_user_past_removed;
-- +goose StatementBegin
CREATE TRIGGER identity_user_past_removed AFTER DELETE ON identity_user WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_user', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('username', OLD.username, 'username_key', OLD.username_key, 'email', OLD.email, 'email_key', OLD.email_key, 'status', OLD.status, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'external_id', OLD.external_id, 'withdrawn_at', OLD.withdrawn_at)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER identity_user_role_past_removed;
-- +goose StatementBegin
CREATE TRIGGER identity_user_role_past_removed AFTER DELETE ON identity_user_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_user_role', OLD.user_id, OLD.role_id, (SELECT at FROM change_clock), NULL, json_object()) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER identity_user_agent_past_removed;
-- +goose StatementBegin
CREATE TRIGGER identity_user_agent_past_removed AFTER DELETE ON identity_user_agent WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_user_agent', OLD.user_id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER identity_role_past_removed;
-- +goose StatementBegin
CREATE TRIGGER identity_role_past_removed AFTER DELETE ON identity_role WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_role', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('name', OLD.name, 'description', OLD.description, 'scopes', OLD.scopes, 'is_system', OLD.is_system, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by, 'limited_to_downline', OLD.limited_to_downline, 'name_key', OLD.name_key)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER identity_client_past_removed;
-- +goose StatementBegin
CREATE TRIGGER identity_client_past_removed AFTER DELETE ON identity_client WHEN (SELECT at FROM change_clock) IS NOT NULL AND OLD.tenant_id IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'identity_client', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('client_id', OLD.client_id, 'scopes', OLD.scopes, 'is_disabled', OLD.is_disabled, 'created_at', OLD.created_at, 'expires_at', OLD.expires_at, 'description', OLD.description, 'is_public', OLD.is_public, 'redirect_uris', OLD.redirect_uris, 'last_modified', OLD.last_modified, 'trusted_documents', OLD.trusted_documents, 'public_keys', OLD.public_keys)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER webhook_subscription_past_removed;
-- +goose StatementBegin
CREATE TRIGGER webhook_subscription_past_removed AFTER DELETE ON webhook_subscription WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'webhook_subscription', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'url', OLD.url, 'events', OLD.events, 'description', OLD.description, 'max_retries', OLD.max_retries, 'retry_delay_minutes', OLD.retry_delay_minutes, 'is_ordered', OLD.is_ordered, 'is_active', OLD.is_active, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER insights_agency_recipe_past_removed;
-- +goose StatementBegin
CREATE TRIGGER insights_agency_recipe_past_removed AFTER DELETE ON insights_agency_recipe WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'insights_agency_recipe', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('uid', OLD.uid, 'name', OLD.name, 'name_key', OLD.name_key, 'description', OLD.description, 'dataset', OLD.dataset, 'definition', OLD.definition, 'version', OLD.version, 'created_at', OLD.created_at, 'created_by', OLD.created_by, 'last_modified', OLD.last_modified, 'last_modified_by', OLD.last_modified_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER insights_commission_payment_past_removed;
-- +goose StatementBegin
CREATE TRIGGER insights_commission_payment_past_removed AFTER DELETE ON insights_commission_payment WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'insights_commission_payment', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'paid_on', OLD.paid_on, 'amount_cents', OLD.amount_cents, 'recorded_at', OLD.recorded_at, 'recorded_by', OLD.recorded_by, 'reference', OLD.reference)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER insights_production_record_past_removed;
-- +goose StatementBegin
CREATE TRIGGER insights_production_record_past_removed AFTER DELETE ON insights_production_record WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.tenant_id, 'insights_production_record', OLD.id, 0, (SELECT at FROM change_clock), OLD.agent_id, json_object('agent_id', OLD.agent_id, 'provider_company', OLD.provider_company, 'policy_number', OLD.policy_number, 'product_line', OLD.product_line, 'submitted_on', OLD.submitted_on, 'issued_on', OLD.issued_on, 'placed_on', OLD.placed_on, 'annual_premium_cents', OLD.annual_premium_cents, 'recorded_at', OLD.recorded_at, 'recorded_by', OLD.recorded_by)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP TRIGGER tenant_past_removed;
-- +goose StatementBegin
CREATE TRIGGER tenant_past_removed AFTER DELETE ON tenant WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.id, 'tenant', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('identifier', OLD.identifier, 'name', OLD.name, 'time_zone', OLD.time_zone, 'default_page_size', OLD.default_page_size, 'max_page_size', OLD.max_page_size, 'created_at', OLD.created_at, 'master_tenant_id', OLD.master_tenant_id, 'mask_sensitive', OLD.mask_sensitive, 'default_user_status', OLD.default_user_status, 'min_password_length', OLD.min_password_length, 'last_modified', OLD.last_modified, 'password_sign_in', OLD.password_sign_in, 'values_kept_since', OLD.values_kept_since, 'values_kept_years', OLD.values_kept_years)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
DROP INDEX past_row_at;
DROP INDEX past_row_gone;
ALTER TABLE past_row DROP COLUMN gone;
