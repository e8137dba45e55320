-- +goose Up
-- SQLite joins rows as they were by their ids only where the ids are integers to it: what it
-- takes out of JSON has no type of its own, and no index is made of it for a statement.
DROP VIEW agency_address_past;
CREATE VIEW agency_address_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, CAST(p.image ->> 'agent_id' AS integer) AS agent_id, p.image ->> 'kind' AS kind, p.image ->> 'line1' AS line1, p.image ->> 'line2' AS line2, p.image ->> 'city' AS city, p.image ->> 'jurisdiction' AS jurisdiction, p.image ->> 'postal_code' AS postal_code, p.image ->> 'country' AS country, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_address' AND p.image IS NOT NULL;
DROP VIEW agency_phone_past;
CREATE VIEW agency_phone_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, CAST(p.image ->> 'agent_id' AS integer) AS agent_id, p.image ->> 'kind' AS kind, p.image ->> 'country_code' AS country_code, p.image ->> 'area_code' AS area_code, p.image ->> 'phone_number' AS phone_number, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_phone' AND p.image IS NOT NULL;
DROP VIEW agency_direct_deposit_past;
CREATE VIEW agency_direct_deposit_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, CAST(p.image ->> 'agent_id' AS integer) AS agent_id, p.image ->> 'country' AS country, p.image ->> 'account_holder_name' AS account_holder_name, p.image ->> 'bank_name' AS bank_name, p.image ->> 'account_type' AS account_type, unhex(p.image ->> 'routing_number') AS routing_number, unhex(p.image ->> 'institution_number') AS institution_number, unhex(p.image ->> 'transit_number') AS transit_number, unhex(p.image ->> 'account_number') AS account_number, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_direct_deposit' AND p.image IS NOT NULL;
DROP VIEW agency_alias_past;
CREATE VIEW agency_alias_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, CAST(p.image ->> 'agent_id' AS integer) AS agent_id, p.image ->> 'identifier' AS identifier, p.image ->> 'provider_company' AS provider_company, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_alias' AND p.image IS NOT NULL;
DROP VIEW agency_tag_assignment_past;
CREATE VIEW agency_tag_assignment_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, CAST(p.image ->> 'agent_id' AS integer) AS agent_id, p.image ->> 'tag' AS tag, p.image ->> 'assigned_at' AS assigned_at, p.image ->> 'assigned_by' AS assigned_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_tag_assignment' AND p.image IS NOT NULL;
DROP VIEW agency_certification_past;
CREATE VIEW agency_certification_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, CAST(p.image ->> 'agent_id' AS integer) AS agent_id, p.image ->> 'type' AS type, p.image ->> 'provider_company' AS provider_company, p.image ->> 'jurisdiction' AS jurisdiction, p.image ->> 'identifier' AS identifier, p.image ->> 'is_resident_certification' AS is_resident_certification, p.image ->> 'is_verified' AS is_verified, p.image ->> 'note' AS note, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_certification' AND p.image IS NOT NULL;
DROP VIEW agency_w9_past;
CREATE VIEW agency_w9_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, CAST(p.image ->> 'agent_id' AS integer) AS agent_id, p.image ->> 'name' AS name, p.image ->> 'business_name' AS business_name, p.image ->> 'tax_classification' AS tax_classification, p.image ->> 'exempt_payee' AS exempt_payee, p.image ->> 'street_address' AS street_address, p.image ->> 'city' AS city, p.image ->> 'state' AS state, p.image ->> 'zip_code' AS zip_code, unhex(p.image ->> 'account_number') AS account_number, unhex(p.image ->> 'taxpayer_identifier') AS taxpayer_identifier, unhex(p.image ->> 'taxpayer_identifier_index') AS taxpayer_identifier_index, unhex(p.image ->> 'signature') AS signature, p.image ->> 'signature_date' AS signature_date, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_w9' AND p.image IS NOT NULL;
DROP VIEW identity_user_agent_past;
CREATE VIEW identity_user_agent_past AS SELECT p.tenant_id AS tenant_id, p.row_id AS user_id, CAST(p.image ->> 'agent_id' AS integer) AS agent_id, p.at AS past_until
    FROM past_row p WHERE p.relation = 'identity_user_agent' AND p.image IS NOT NULL;
DROP VIEW insights_commission_payment_past;
CREATE VIEW insights_commission_payment_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, CAST(p.image ->> 'agent_id' AS integer) AS agent_id, p.image ->> 'paid_on' AS paid_on, p.image ->> 'amount_cents' AS amount_cents, p.image ->> 'recorded_at' AS recorded_at, p.image ->> 'recorded_by' AS recorded_by, p.image ->> 'reference' AS reference, p.at AS past_until
    FROM past_row p WHERE p.relation = 'insights_commission_payment' AND p.image IS NOT NULL;
DROP VIEW insights_production_record_past;
CREATE VIEW insights_production_record_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, CAST(p.image ->> 'agent_id' AS integer) AS agent_id, p.image ->> 'provider_company' AS provider_company, p.image ->> 'policy_number' AS policy_number, p.image ->> 'product_line' AS product_line, p.image ->> 'submitted_on' AS submitted_on, p.image ->> 'issued_on' AS issued_on, p.image ->> 'placed_on' AS placed_on, p.image ->> 'annual_premium_cents' AS annual_premium_cents, p.image ->> 'recorded_at' AS recorded_at, p.image ->> 'recorded_by' AS recorded_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'insights_production_record' AND p.image IS NOT NULL;
DROP VIEW agency_agent_level_past;
CREATE VIEW agency_agent_level_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, CAST(p.image ->> 'team_id' AS integer) AS team_id, p.image ->> 'value' AS value, p.image ->> 'name' AS name, p.image ->> 'description' AS description, p.image ->> 'is_enabled' AS is_enabled, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_agent_level' AND p.image IS NOT NULL;
DROP VIEW tenant_past;
CREATE VIEW tenant_past AS SELECT p.row_id AS id, p.image ->> 'identifier' AS identifier, p.image ->> 'name' AS name, p.image ->> 'time_zone' AS time_zone, p.image ->> 'default_page_size' AS default_page_size, p.image ->> 'max_page_size' AS max_page_size, p.image ->> 'created_at' AS created_at, CAST(p.image ->> 'master_tenant_id' AS integer) AS master_tenant_id, p.image ->> 'mask_sensitive' AS mask_sensitive, p.image ->> 'default_user_status' AS default_user_status, p.image ->> 'min_password_length' AS min_password_length, p.image ->> 'last_modified' AS last_modified, p.image ->> 'password_sign_in' AS password_sign_in, p.image ->> 'values_kept_since' AS values_kept_since, p.image ->> 'values_kept_years' AS values_kept_years, p.at AS past_until
    FROM past_row p WHERE p.relation = 'tenant' AND p.image IS NOT NULL;

-- +goose Down
DROP VIEW agency_address_past;
CREATE VIEW agency_address_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'kind' AS kind, p.image ->> 'line1' AS line1, p.image ->> 'line2' AS line2, p.image ->> 'city' AS city, p.image ->> 'jurisdiction' AS jurisdiction, p.image ->> 'postal_code' AS postal_code, p.image ->> 'country' AS country, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_address' AND p.image IS NOT NULL;
DROP VIEW agency_phone_past;
CREATE VIEW agency_phone_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'kind' AS kind, p.image ->> 'country_code' AS country_code, p.image ->> 'area_code' AS area_code, p.image ->> 'phone_number' AS phone_number, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_phone' AND p.image IS NOT NULL;
DROP VIEW agency_direct_deposit_past;
CREATE VIEW agency_direct_deposit_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'country' AS country, p.image ->> 'account_holder_name' AS account_holder_name, p.image ->> 'bank_name' AS bank_name, p.image ->> 'account_type' AS account_type, unhex(p.image ->> 'routing_number') AS routing_number, unhex(p.image ->> 'institution_number') AS institution_number, unhex(p.image ->> 'transit_number') AS transit_number, unhex(p.image ->> 'account_number') AS account_number, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_direct_deposit' AND p.image IS NOT NULL;
DROP VIEW agency_alias_past;
CREATE VIEW agency_alias_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'identifier' AS identifier, p.image ->> 'provider_company' AS provider_company, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_alias' AND p.image IS NOT NULL;
DROP VIEW agency_tag_assignment_past;
CREATE VIEW agency_tag_assignment_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'tag' AS tag, p.image ->> 'assigned_at' AS assigned_at, p.image ->> 'assigned_by' AS assigned_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_tag_assignment' AND p.image IS NOT NULL;
DROP VIEW agency_certification_past;
CREATE VIEW agency_certification_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'type' AS type, p.image ->> 'provider_company' AS provider_company, p.image ->> 'jurisdiction' AS jurisdiction, p.image ->> 'identifier' AS identifier, p.image ->> 'is_resident_certification' AS is_resident_certification, p.image ->> 'is_verified' AS is_verified, p.image ->> 'note' AS note, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_certification' AND p.image IS NOT NULL;
DROP VIEW agency_w9_past;
CREATE VIEW agency_w9_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'name' AS name, p.image ->> 'business_name' AS business_name, p.image ->> 'tax_classification' AS tax_classification, p.image ->> 'exempt_payee' AS exempt_payee, p.image ->> 'street_address' AS street_address, p.image ->> 'city' AS city, p.image ->> 'state' AS state, p.image ->> 'zip_code' AS zip_code, unhex(p.image ->> 'account_number') AS account_number, unhex(p.image ->> 'taxpayer_identifier') AS taxpayer_identifier, unhex(p.image ->> 'taxpayer_identifier_index') AS taxpayer_identifier_index, unhex(p.image ->> 'signature') AS signature, p.image ->> 'signature_date' AS signature_date, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_w9' AND p.image IS NOT NULL;
DROP VIEW identity_user_agent_past;
CREATE VIEW identity_user_agent_past AS SELECT p.tenant_id AS tenant_id, p.row_id AS user_id, p.image ->> 'agent_id' AS agent_id, p.at AS past_until
    FROM past_row p WHERE p.relation = 'identity_user_agent' AND p.image IS NOT NULL;
DROP VIEW insights_commission_payment_past;
CREATE VIEW insights_commission_payment_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'paid_on' AS paid_on, p.image ->> 'amount_cents' AS amount_cents, p.image ->> 'recorded_at' AS recorded_at, p.image ->> 'recorded_by' AS recorded_by, p.image ->> 'reference' AS reference, p.at AS past_until
    FROM past_row p WHERE p.relation = 'insights_commission_payment' AND p.image IS NOT NULL;
DROP VIEW insights_production_record_past;
CREATE VIEW insights_production_record_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'agent_id' AS agent_id, p.image ->> 'provider_company' AS provider_company, p.image ->> 'policy_number' AS policy_number, p.image ->> 'product_line' AS product_line, p.image ->> 'submitted_on' AS submitted_on, p.image ->> 'issued_on' AS issued_on, p.image ->> 'placed_on' AS placed_on, p.image ->> 'annual_premium_cents' AS annual_premium_cents, p.image ->> 'recorded_at' AS recorded_at, p.image ->> 'recorded_by' AS recorded_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'insights_production_record' AND p.image IS NOT NULL;
DROP VIEW agency_agent_level_past;
CREATE VIEW agency_agent_level_past AS SELECT p.row_id AS id, p.tenant_id AS tenant_id, p.image ->> 'team_id' AS team_id, p.image ->> 'value' AS value, p.image ->> 'name' AS name, p.image ->> 'description' AS description, p.image ->> 'is_enabled' AS is_enabled, p.image ->> 'created_at' AS created_at, p.image ->> 'created_by' AS created_by, p.image ->> 'last_modified' AS last_modified, p.image ->> 'last_modified_by' AS last_modified_by, p.at AS past_until
    FROM past_row p WHERE p.relation = 'agency_agent_level' AND p.image IS NOT NULL;
DROP VIEW tenant_past;
CREATE VIEW tenant_past AS SELECT p.row_id AS id, p.image ->> 'identifier' AS identifier, p.image ->> 'name' AS name, p.image ->> 'time_zone' AS time_zone, p.image ->> 'default_page_size' AS default_page_size, p.image ->> 'max_page_size' AS max_page_size, p.image ->> 'created_at' AS created_at, p.image ->> 'master_tenant_id' AS master_tenant_id, p.image ->> 'mask_sensitive' AS mask_sensitive, p.image ->> 'default_user_status' AS default_user_status, p.image ->> 'min_password_length' AS min_password_length, p.image ->> 'last_modified' AS last_modified, p.image ->> 'password_sign_in' AS password_sign_in, p.image ->> 'values_kept_since' AS values_kept_since, p.image ->> 'values_kept_years' AS values_kept_years, p.at AS past_until
    FROM past_row p WHERE p.relation = 'tenant' AND p.image IS NOT NULL;
