-- +goose Up
-- Why a change was made, as the caller said it.
ALTER TABLE audit_entry ADD COLUMN reason text NOT NULL DEFAULT '';
-- Since when an agency that is older than this migration has the values of its changes.
ALTER TABLE tenant ADD COLUMN values_kept_since timestamptz;
UPDATE tenant SET values_kept_since = now();
-- Rows as they were before people changed them. Triggers keep them, so no write can forget
-- it. Servers may go on meanwhile: whoever writes a table waits for its trigger.
-- image is the row that ended at an instant; NULL if there was none, or if it was erased.
CREATE TABLE past_row (
    tenant_id bigint NOT NULL,
    relation text NOT NULL,
    row_id bigint NOT NULL,
    part bigint NOT NULL DEFAULT 0,
    at timestamptz NOT NULL,
    agent_id bigint,
    image jsonb,
    PRIMARY KEY (tenant_id, relation, row_id, part, at)
);
CREATE INDEX past_row_of_agent ON past_row (tenant_id, agent_id, at) WHERE agent_id IS NOT NULL;
ALTER TABLE past_row ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON past_row USING (tenant_id = app_tenant());
-- The setting app.change_at is the time of the change that a transaction makes
-- (internal/platform/store, Tx.ChangeAt). Work that changes nothing that people know, such as
-- encrypting again, sets none.
-- A trigger gives the table (a shard of Citus has another name), its columns with the tenant,
-- the row, the second part of a row's key and the agent, and then those that are not kept.
-- +goose StatementBegin
CREATE FUNCTION keep_past_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change_at timestamptz := nullif(current_setting('app.change_at', true), '')::timestamptz;
    image jsonb := to_jsonb(CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END);
BEGIN
    IF change_at IS NULL OR image ->> TG_ARGV[1] IS NULL THEN
        RETURN NULL;
    END IF;
    -- What an agent begins with needs no mark that it was not there before.
    IF TG_OP = 'INSERT' AND TG_ARGV[0] LIKE 'agency%' AND NOT EXISTS (SELECT 1 FROM agency_agent a
        WHERE a.tenant_id = (image ->> 'tenant_id')::bigint AND a.id = (image ->> 'agent_id')::bigint AND a.created_at < change_at) THEN
        RETURN NULL;
    END IF;
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES ((image ->> TG_ARGV[1])::bigint, TG_ARGV[0], (image ->> TG_ARGV[2])::bigint, coalesce((image ->> TG_ARGV[3])::bigint, 0), change_at,
        (image ->> TG_ARGV[4])::bigint, CASE WHEN TG_OP <> 'INSERT' THEN image - TG_ARGV[5:] END) ON CONFLICT DO NOTHING;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF code, first_name, middle_name, last_name, common_name, email, government_identifier, government_identifier_index, birth_date, gender, npn, customer_id, is_dedicated, start_date ON agency_agent FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_agent', 'tenant_id', 'id', '', 'id');
CREATE VIEW agency_agent_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.code, r.first_name, r.middle_name, r.last_name, r.common_name, r.email, r.first_name_key, r.last_name_key, r.common_name_key, r.email_key, r.government_identifier, r.government_identifier_index, r.birth_date, r.gender, r.npn, r.customer_id, r.is_dedicated, r.start_date, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_agent, p.image) r WHERE p.relation = 'agency_agent' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF agent_id, kind, line1, line2, city, jurisdiction, postal_code, country ON agency_address FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_address', 'tenant_id', 'id', '', 'agent_id');
CREATE TRIGGER past_row_added AFTER INSERT ON agency_address FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_address', 'tenant_id', 'id', '', 'agent_id');
CREATE VIEW agency_address_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.agent_id, r.kind, r.line1, r.line2, r.city, r.jurisdiction, r.postal_code, r.country, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_address, p.image) r WHERE p.relation = 'agency_address' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF agent_id, kind, country_code, area_code, phone_number ON agency_phone FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_phone', 'tenant_id', 'id', '', 'agent_id');
CREATE TRIGGER past_row_added AFTER INSERT ON agency_phone FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_phone', 'tenant_id', 'id', '', 'agent_id');
CREATE VIEW agency_phone_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.agent_id, r.kind, r.country_code, r.area_code, r.phone_number, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_phone, p.image) r WHERE p.relation = 'agency_phone' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF agent_id, country, account_holder_name, bank_name, account_type, routing_number, institution_number, transit_number, account_number ON agency_direct_deposit FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_direct_deposit', 'tenant_id', 'id', '', 'agent_id');
CREATE TRIGGER past_row_added AFTER INSERT ON agency_direct_deposit FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_direct_deposit', 'tenant_id', 'id', '', 'agent_id');
CREATE VIEW agency_direct_deposit_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.agent_id, r.country, r.account_holder_name, r.bank_name, r.account_type, r.routing_number, r.institution_number, r.transit_number, r.account_number, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_direct_deposit, p.image) r WHERE p.relation = 'agency_direct_deposit' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF agent_id, identifier, provider_company ON agency_alias FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_alias', 'tenant_id', 'id', '', 'agent_id');
CREATE VIEW agency_alias_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.agent_id, r.identifier, r.provider_company, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_alias, p.image) r WHERE p.relation = 'agency_alias' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF agent_id, tag ON agency_tag_assignment FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_tag_assignment', 'tenant_id', 'id', '', 'agent_id');
CREATE VIEW agency_tag_assignment_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.agent_id, r.tag, r.assigned_at, r.assigned_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_tag_assignment, p.image) r WHERE p.relation = 'agency_tag_assignment' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF agent_id, type, provider_company, jurisdiction, identifier, is_resident_certification, is_verified, note ON agency_certification FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_certification', 'tenant_id', 'id', '', 'agent_id');
CREATE VIEW agency_certification_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.agent_id, r.type, r.provider_company, r.jurisdiction, r.identifier, r.is_resident_certification, r.is_verified, r.note, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_certification, p.image) r WHERE p.relation = 'agency_certification' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF agent_id, name, business_name, tax_classification, exempt_payee, street_address, city, state, zip_code, account_number, taxpayer_identifier, taxpayer_identifier_index, signature, signature_date ON agency_w9 FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_w9', 'tenant_id', 'id', '', 'agent_id');
CREATE VIEW agency_w9_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.agent_id, r.name, r.business_name, r.tax_classification, r.exempt_payee, r.street_address, r.city, r.state, r.zip_code, r.account_number, r.taxpayer_identifier, r.taxpayer_identifier_index, r.signature, r.signature_date, r.created_at, r.created_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_w9, p.image) r WHERE p.relation = 'agency_w9' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF username, email, status, external_id, withdrawn_at ON identity_user FOR EACH ROW EXECUTE FUNCTION keep_past_row('identity_user', 'tenant_id', 'id', '', '', 'password_hash', 'last_sign_in_at');
CREATE VIEW identity_user_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.username, r.username_key, r.email, r.email_key, r.status, r.password_hash, r.last_sign_in_at, r.created_at, r.created_by, r.last_modified, r.last_modified_by, r.external_id, r.withdrawn_at, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::identity_user, p.image) r WHERE p.relation = 'identity_user' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE ON identity_user_role FOR EACH ROW EXECUTE FUNCTION keep_past_row('identity_user_role', 'tenant_id', 'user_id', 'role_id', '');
CREATE TRIGGER past_row_added AFTER INSERT ON identity_user_role FOR EACH ROW EXECUTE FUNCTION keep_past_row('identity_user_role', 'tenant_id', 'user_id', 'role_id', '');
CREATE VIEW identity_user_role_past WITH (security_invoker = true) AS SELECT p.tenant_id AS tenant_id, p.row_id AS user_id, p.part AS role_id, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::identity_user_role, p.image) r WHERE p.relation = 'identity_user_role' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF agent_id ON identity_user_agent FOR EACH ROW EXECUTE FUNCTION keep_past_row('identity_user_agent', 'tenant_id', 'user_id', '', 'agent_id');
CREATE TRIGGER past_row_added AFTER INSERT ON identity_user_agent FOR EACH ROW EXECUTE FUNCTION keep_past_row('identity_user_agent', 'tenant_id', 'user_id', '', 'agent_id');
CREATE VIEW identity_user_agent_past WITH (security_invoker = true) AS SELECT p.tenant_id AS tenant_id, p.row_id AS user_id, r.agent_id, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::identity_user_agent, p.image) r WHERE p.relation = 'identity_user_agent' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF name, description, scopes, is_system, limited_to_downline ON identity_role FOR EACH ROW EXECUTE FUNCTION keep_past_row('identity_role', 'tenant_id', 'id', '', '');
CREATE VIEW identity_role_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.name, r.description, r.scopes, r.is_system, r.created_at, r.created_by, r.last_modified, r.last_modified_by, r.limited_to_downline, r.name_key, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::identity_role, p.image) r WHERE p.relation = 'identity_role' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF client_id, scopes, is_disabled, expires_at, description, is_public, redirect_uris, trusted_documents, public_keys ON identity_client FOR EACH ROW EXECUTE FUNCTION keep_past_row('identity_client', 'tenant_id', 'id', '', '', 'secret_hash', 'previous_secret_hash', 'previous_secret_until', 'last_used_at');
CREATE VIEW identity_client_past WITH (security_invoker = true) AS SELECT p.row_id AS id, r.client_id, p.tenant_id AS tenant_id, r.secret_hash, r.scopes, r.is_disabled, r.created_at, r.previous_secret_hash, r.previous_secret_until, r.expires_at, r.last_used_at, r.description, r.is_public, r.redirect_uris, r.last_modified, r.trusted_documents, r.public_keys, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::identity_client, p.image) r WHERE p.relation = 'identity_client' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF uid, url, events, description, max_retries, retry_delay_minutes, is_ordered, is_active ON webhook_subscription FOR EACH ROW EXECUTE FUNCTION keep_past_row('webhook_subscription', 'tenant_id', 'id', '', '', 'headers', 'secret', 'previous_secret', 'previous_secret_until', 'last_sequence', 'wakes', 'holder', 'held_until', 'failures', 'probe_at', 'deliveries');
CREATE VIEW webhook_subscription_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.uid, r.url, r.events, r.description, r.headers, r.max_retries, r.retry_delay_minutes, r.is_ordered, r.is_active, r.secret, r.previous_secret, r.previous_secret_until, r.created_at, r.created_by, r.last_modified, r.last_modified_by, r.last_sequence, r.wakes, r.holder, r.held_until, r.failures, r.probe_at, r.deliveries, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::webhook_subscription, p.image) r WHERE p.relation = 'webhook_subscription' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF uid, name, description, dataset, definition, version ON insights_agency_recipe FOR EACH ROW EXECUTE FUNCTION keep_past_row('insights_agency_recipe', 'tenant_id', 'id', '', '');
CREATE VIEW insights_agency_recipe_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.uid, r.name, r.name_key, r.description, r.dataset, r.definition, r.version, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::insights_agency_recipe, p.image) r WHERE p.relation = 'insights_agency_recipe' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF agent_id, paid_on, amount_cents, reference ON insights_commission_payment FOR EACH ROW EXECUTE FUNCTION keep_past_row('insights_commission_payment', 'tenant_id', 'id', '', 'agent_id');
CREATE VIEW insights_commission_payment_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.agent_id, r.paid_on, r.amount_cents, r.recorded_at, r.recorded_by, r.reference, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::insights_commission_payment, p.image) r WHERE p.relation = 'insights_commission_payment' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF agent_id, provider_company, policy_number, product_line, submitted_on, issued_on, placed_on, annual_premium_cents ON insights_production_record FOR EACH ROW EXECUTE FUNCTION keep_past_row('insights_production_record', 'tenant_id', 'id', '', 'agent_id');
CREATE VIEW insights_production_record_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.agent_id, r.provider_company, r.policy_number, r.product_line, r.submitted_on, r.issued_on, r.placed_on, r.annual_premium_cents, r.recorded_at, r.recorded_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::insights_production_record, p.image) r WHERE p.relation = 'insights_production_record' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF identifier, name, time_zone, default_page_size, max_page_size, master_tenant_id, mask_sensitive, default_user_status, min_password_length, password_sign_in ON tenant FOR EACH ROW EXECUTE FUNCTION keep_past_row('tenant', 'id', 'id', '', '');
CREATE VIEW tenant_past WITH (security_invoker = true) AS SELECT p.row_id AS id, r.identifier, r.name, r.time_zone, r.default_page_size, r.max_page_size, r.created_at, r.master_tenant_id, r.mask_sensitive, r.default_user_status, r.min_password_length, r.last_modified, r.password_sign_in, r.values_kept_since, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::tenant, p.image) r WHERE p.relation = 'tenant' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF team_id, value, name, description, is_enabled ON agency_agent_level FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_agent_level', 'tenant_id', 'id', '', '');
CREATE VIEW agency_agent_level_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.team_id, r.value, r.name, r.description, r.is_enabled, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_agent_level, p.image) r WHERE p.relation = 'agency_agent_level' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF code, name, description, line_of_authority, is_watched, is_enabled ON agency_product FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_product', 'tenant_id', 'id', '', '');
CREATE VIEW agency_product_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.code, r.name, r.description, r.line_of_authority, r.is_watched, r.is_enabled, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_product, p.image) r WHERE p.relation = 'agency_product' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF code, name, description, category, requires_jurisdiction, requires_provider_company, is_enabled ON agency_certification_type FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_certification_type', 'tenant_id', 'id', '', '');
CREATE VIEW agency_certification_type_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.code, r.name, r.description, r.category, r.requires_jurisdiction, r.requires_provider_company, r.is_enabled, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_certification_type, p.image) r WHERE p.relation = 'agency_certification_type' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF code, name, country, kind, is_enabled ON agency_jurisdiction FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_jurisdiction', 'tenant_id', 'id', '', '');
CREATE VIEW agency_jurisdiction_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.code, r.name, r.country, r.kind, r.is_enabled, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_jurisdiction, p.image) r WHERE p.relation = 'agency_jurisdiction' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF name, description, is_active, can_be_paid, sort_order ON agency_pay_status FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_pay_status', 'tenant_id', 'id', '', '');
CREATE VIEW agency_pay_status_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.name, r.description, r.is_active, r.can_be_paid, r.sort_order, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_pay_status, p.image) r WHERE p.relation = 'agency_pay_status' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF code, name, naic_code, is_enabled ON agency_provider_company FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_provider_company', 'tenant_id', 'id', '', '');
CREATE VIEW agency_provider_company_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.code, r.name, r.naic_code, r.is_enabled, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_provider_company, p.image) r WHERE p.relation = 'agency_provider_company' AND p.image IS NOT NULL;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF name, description, color ON agency_tag FOR EACH ROW EXECUTE FUNCTION keep_past_row('agency_tag', 'tenant_id', 'id', '', '');
CREATE VIEW agency_tag_past WITH (security_invoker = true) AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, r.name, r.description, r.color, r.created_at, r.created_by, r.last_modified, r.last_modified_by, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::agency_tag, p.image) r WHERE p.relation = 'agency_tag' AND p.image IS NOT NULL;

-- +goose Down
DROP TRIGGER past_row ON agency_tag;
DROP VIEW agency_tag_past;
DROP TRIGGER past_row ON agency_provider_company;
DROP VIEW agency_provider_company_past;
DROP TRIGGER past_row ON agency_pay_status;
DROP VIEW agency_pay_status_past;
DROP TRIGGER past_row ON agency_jurisdiction;
DROP VIEW agency_jurisdiction_past;
DROP TRIGGER past_row ON agency_certification_type;
DROP VIEW agency_certification_type_past;
DROP TRIGGER past_row ON agency_product;
DROP VIEW agency_product_past;
DROP TRIGGER past_row ON agency_agent_level;
DROP VIEW agency_agent_level_past;
DROP TRIGGER past_row ON tenant;
DROP VIEW tenant_past;
DROP TRIGGER past_row ON insights_production_record;
DROP VIEW insights_production_record_past;
DROP TRIGGER past_row ON insights_commission_payment;
DROP VIEW insights_commission_payment_past;
DROP TRIGGER past_row ON insights_agency_recipe;
DROP VIEW insights_agency_recipe_past;
DROP TRIGGER past_row ON webhook_subscription;
DROP VIEW webhook_subscription_past;
DROP TRIGGER past_row ON identity_client;
DROP VIEW identity_client_past;
DROP TRIGGER past_row ON identity_role;
DROP VIEW identity_role_past;
DROP TRIGGER past_row_added ON identity_user_agent;
DROP TRIGGER past_row ON identity_user_agent;
DROP VIEW identity_user_agent_past;
DROP TRIGGER past_row_added ON identity_user_role;
DROP TRIGGER past_row ON identity_user_role;
DROP VIEW identity_user_role_past;
DROP TRIGGER past_row ON identity_user;
DROP VIEW identity_user_past;
DROP TRIGGER past_row ON agency_w9;
DROP VIEW agency_w9_past;
DROP TRIGGER past_row ON agency_certification;
DROP VIEW agency_certification_past;
DROP TRIGGER past_row ON agency_tag_assignment;
DROP VIEW agency_tag_assignment_past;
DROP TRIGGER past_row ON agency_alias;
DROP VIEW agency_alias_past;
DROP TRIGGER past_row_added ON agency_direct_deposit;
DROP TRIGGER past_row ON agency_direct_deposit;
DROP VIEW agency_direct_deposit_past;
DROP TRIGGER past_row_added ON agency_phone;
DROP TRIGGER past_row ON agency_phone;
DROP VIEW agency_phone_past;
DROP TRIGGER past_row_added ON agency_address;
DROP TRIGGER past_row ON agency_address;
DROP VIEW agency_address_past;
DROP TRIGGER past_row ON agency_agent;
DROP VIEW agency_agent_past;
DROP FUNCTION keep_past_row();
DROP TABLE past_row;
ALTER TABLE audit_entry DROP COLUMN reason;
ALTER TABLE tenant DROP COLUMN values_kept_since;
