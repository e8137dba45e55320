-- +goose Up
-- gone says that the row was removed at the instant, and not changed: whoever asks what was known before
-- finds by it what is not there any more, and everything else where it is.
ALTER TABLE past_row ADD COLUMN gone boolean NOT NULL DEFAULT false;
CREATE INDEX past_row_gone ON past_row (tenant_id, relation, at) WHERE gone;
-- Whom a search as known then has to look at anew is found by when their rows ended.
CREATE INDEX past_row_at ON past_row USING brin (at) WITH (autosummarize = on);
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
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_past_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change_at timestamptz := nullif(current_setting('app.change_at', true), '')::timestamptz;
    image jsonb := to_jsonb(CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END);
BEGIN
    IF change_at IS NULL OR image ->> TG_ARGV[1] IS NULL THEN
        RETURN NULL;
    END IF;
    -- What an agent begins with needs no mark that it was not there before.
    IF TG_OP = 'INSERT' AND TG_ARGV[4] <> '' AND TG_ARGV[0] LIKE 'agency%' AND NOT EXISTS (SELECT 1 FROM agency_agent a
        WHERE a.tenant_id = (image ->> 'tenant_id')::bigint AND a.id = (image ->> 'agent_id')::bigint AND a.created_at < change_at) THEN
        RETURN NULL;
    END IF;
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image, gone)
    VALUES ((image ->> TG_ARGV[1])::bigint, TG_ARGV[0], (image ->> TG_ARGV[2])::bigint, coalesce((image ->> TG_ARGV[3])::bigint, 0), change_at,
        (image ->> TG_ARGV[4])::bigint, CASE WHEN TG_OP <> 'INSERT' THEN image - TG_ARGV[5:] END, TG_OP = 'DELETE')
    ON CONFLICT (tenant_id, relation, row_id, part, at) DO UPDATE SET gone = true WHERE excluded.gone;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION keep_past_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    change_at timestamptz := nullif(current_setting('app.change_at', true), '')::timestamptz;
    image jsonb := to_jsonb(CASE WHEN TG_OP = 'INSERT' THEN NEW ELSE OLD END);
BEGIN
    IF change_at IS NULL OR image ->> TG_ARGV[1] IS NULL THEN
        RETURN NULL;
    END IF;
    -- What an agent begins with needs no mark that it was not there before.
    IF TG_OP = 'INSERT' AND TG_ARGV[4] <> '' AND TG_ARGV[0] LIKE 'agency%' AND NOT EXISTS (SELECT 1 FROM agency_agent a
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
DROP INDEX past_row_at;
DROP INDEX past_row_gone;
ALTER TABLE past_row DROP COLUMN gone;
