-- +goose Up
-- The second line between tenants (decision 3): whoever is not the owner of the
-- tables, sees and writes the rows of one tenant, that of the setting app.tenant, and
-- none without it. Each table of tenants has the policy, a new one by its own
-- migration; TestRowLevelSecurity holds that.
CREATE FUNCTION app_tenant() RETURNS bigint LANGUAGE sql STABLE AS
    $$ SELECT nullif(nullif(current_setting('app.tenant', true), ''), 'every')::bigint $$;

-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'agency_address', 'agency_agent', 'agency_agent_count', 'agency_agent_level', 'agency_alias', 'agency_certification',
        'agency_certification_expiry', 'agency_certification_period', 'agency_certification_type',
        'agency_direct_deposit', 'agency_jurisdiction', 'agency_level_period', 'agency_pay_status',
        'agency_pay_status_period', 'agency_phone', 'agency_provider_company', 'agency_tag',
        'agency_tag_assignment', 'agency_team', 'agency_upline_period', 'agency_w9', 'agency_w9_period',
        'audit_entry', 'audit_entry_key', 'audit_head', 'bulk_import', 'bulk_import_rejection',
        'export', 'export_chunk', 'hierarchy_build', 'hierarchy_change', 'hierarchy_closure', 'hierarchy_node',
        'idempotent_request', 'identity_role', 'identity_user', 'identity_user_agent', 'identity_user_role',
        'insights_commission_payment', 'insights_production_record',
        'onboarding_app_configuration', 'onboarding_application', 'onboarding_application_status_change',
        'onboarding_background_question', 'onboarding_contract_covenant', 'onboarding_contract_version',
        'outbox_event', 'outbox_feed', 'tenant_agent_code',
        'webhook_delivery', 'webhook_fanout', 'webhook_message', 'webhook_subscription']
    LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY of_tenant ON %I USING (tenant_id = app_tenant())', name);
    END LOOP;
    -- Lists of work, in which each process looks for tenants with something to do. What
    -- it then does, it does as the tenant.
    FOREACH name IN ARRAY ARRAY[
        'audit_head', 'export', 'hierarchy_build', 'outbox_event', 'outbox_feed',
        'webhook_fanout', 'webhook_message', 'webhook_subscription']
    LOOP
        EXECUTE format('CREATE POLICY of_every_tenant ON %I FOR SELECT USING ((SELECT current_setting(''app.tenant'', true)) = ''every'')', name);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- Only the owner of a table may have PostgreSQL look at it. An import does, inside its
-- transaction, as whoever it is.
-- +goose StatementBegin
CREATE FUNCTION learn_tables(names regclass[]) RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS $$
BEGIN
    EXECUTE 'ANALYZE (SKIP_LOCKED) ' || array_to_string(names, ', ');
END
$$;
-- +goose StatementEnd

-- +goose Down
DROP FUNCTION learn_tables(regclass[]);
-- +goose StatementBegin
DO $$
DECLARE
    p record;
BEGIN
    FOR p IN SELECT tablename, policyname FROM pg_policies WHERE schemaname = current_schema() AND policyname IN ('of_tenant', 'of_every_tenant')
    LOOP
        EXECUTE format('DROP POLICY %I ON %I', p.policyname, p.tablename);
        EXECUTE format('ALTER TABLE %I DISABLE ROW LEVEL SECURITY', p.tablename);
    END LOOP;
END
$$;
-- +goose StatementEnd
DROP FUNCTION app_tenant();
