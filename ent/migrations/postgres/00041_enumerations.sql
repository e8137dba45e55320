-- +goose Up
-- What processing an application stored in the spelling of REST gets that of the
-- list. An LLC that does not say how it is taxed has no tax classification of its
-- own: it becomes OTHER, and its application goes on saying LLC
-- (docs/decisions/0001-storage.md).
UPDATE agency_w9 SET tax_classification = CASE tax_classification
    WHEN 'Individual' THEN 'INDIVIDUAL'
    WHEN 'SoleProprietor' THEN 'SOLE_PROPRIETOR'
    WHEN 'CCorporation' THEN 'C_CORPORATION'
    WHEN 'SCorporation' THEN 'S_CORPORATION'
    WHEN 'Partnership' THEN 'PARTNERSHIP'
    WHEN 'TrustEstate' THEN 'TRUST_ESTATE'
    WHEN 'LlcC' THEN 'LLC_C'
    WHEN 'LlcS' THEN 'LLC_S'
    WHEN 'LlcP' THEN 'LLC_P'
    ELSE 'OTHER' END
WHERE tax_classification NOT IN ('INDIVIDUAL', 'SOLE_PROPRIETOR', 'C_CORPORATION', 'S_CORPORATION', 'PARTNERSHIP', 'TRUST_ESTATE', 'LLC_C', 'LLC_S', 'LLC_P', 'OTHER');

-- The enumerations that had no condition yet.
ALTER TABLE agency_w9 ADD CONSTRAINT agency_w9_tax_classification_known
    CHECK (tax_classification IN ('INDIVIDUAL', 'SOLE_PROPRIETOR', 'C_CORPORATION', 'S_CORPORATION', 'PARTNERSHIP', 'TRUST_ESTATE', 'LLC_C', 'LLC_S', 'LLC_P', 'OTHER'));
ALTER TABLE agency_jurisdiction ADD CONSTRAINT agency_jurisdiction_kind_known
    CHECK (kind IN ('State', 'Province', 'Territory', 'District'));
ALTER TABLE onboarding_contract_version ADD CONSTRAINT onboarding_contract_version_body_format_known
    CHECK (body_format IN ('markdown', 'text'));
ALTER TABLE onboarding_application ADD CONSTRAINT onboarding_application_held_status_known
    CHECK (held_status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID', 'PROCESSED', 'REJECTED'));
ALTER TABLE onboarding_application_status_change ADD CONSTRAINT onboarding_application_status_change_from_status_known
    CHECK (from_status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID', 'PROCESSED', 'REJECTED'));
ALTER TABLE onboarding_application_status_change ADD CONSTRAINT onboarding_application_status_change_to_status_known
    CHECK (to_status IN ('ACTIVE', 'HOLD', 'COMPLETE', 'PAID', 'PROCESSED', 'REJECTED'));
ALTER TABLE webhook_message ADD CONSTRAINT webhook_message_state_known
    CHECK (state IN ('PENDING', 'DELIVERED', 'GIVEN_UP'));
ALTER TABLE bulk_import ADD CONSTRAINT bulk_import_entity_known
    CHECK (entity IN ('AGENT', 'CERTIFICATION', 'UPLINE_PERIOD', 'LEVEL_PERIOD', 'PAY_STATUS_PERIOD', 'PRODUCTION_RECORD', 'COMMISSION_PAYMENT',
        'PAY_STATUS', 'AGENT_LEVEL', 'CERTIFICATION_TYPE', 'JURISDICTION', 'PROVIDER_COMPANY', 'TAG'));
ALTER TABLE bulk_import ADD CONSTRAINT bulk_import_error_policy_known
    CHECK (error_policy IN ('REJECT_EVERYTHING', 'REJECT_FAILED_ROWS'));
ALTER TABLE export ADD CONSTRAINT export_format_known
    CHECK (format IN ('CSV', 'XLSX', 'JSONL'));
ALTER TABLE export ADD CONSTRAINT export_status_known
    CHECK (status IN ('QUEUED', 'RUNNING', 'COMPLETED', 'FAILED', 'EXPIRED'));

-- +goose Down
ALTER TABLE export DROP CONSTRAINT export_status_known;
ALTER TABLE export DROP CONSTRAINT export_format_known;
ALTER TABLE bulk_import DROP CONSTRAINT bulk_import_error_policy_known;
ALTER TABLE bulk_import DROP CONSTRAINT bulk_import_entity_known;
ALTER TABLE webhook_message DROP CONSTRAINT webhook_message_state_known;
ALTER TABLE onboarding_application_status_change DROP CONSTRAINT onboarding_application_status_change_to_status_known;
ALTER TABLE onboarding_application_status_change DROP CONSTRAINT onboarding_application_status_change_from_status_known;
ALTER TABLE onboarding_application DROP CONSTRAINT onboarding_application_held_status_known;
ALTER TABLE onboarding_contract_version DROP CONSTRAINT onboarding_contract_version_body_format_known;
ALTER TABLE agency_jurisdiction DROP CONSTRAINT agency_jurisdiction_kind_known;
ALTER TABLE agency_w9 DROP CONSTRAINT agency_w9_tax_classification_known;
