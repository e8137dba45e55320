-- +goose Up
-- For how many years what values were before is kept; 0 is for ever.
ALTER TABLE tenant ADD COLUMN values_kept_years bigint NOT NULL DEFAULT 0;
DROP VIEW tenant_past;
DROP TRIGGER past_row ON tenant;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF identifier, name, time_zone, default_page_size, max_page_size, master_tenant_id, mask_sensitive, default_user_status, min_password_length, password_sign_in, values_kept_years ON tenant FOR EACH ROW EXECUTE FUNCTION keep_past_row('tenant', 'id', 'id', '', '');
CREATE VIEW tenant_past WITH (security_invoker = true) AS SELECT p.row_id AS id, r.identifier, r.name, r.time_zone, r.default_page_size, r.max_page_size, r.created_at, r.master_tenant_id, r.mask_sensitive, r.default_user_status, r.min_password_length, r.last_modified, r.password_sign_in, r.values_kept_since, r.values_kept_years, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::tenant, p.image) r WHERE p.relation = 'tenant' AND p.image IS NOT NULL;

-- +goose Down
DROP VIEW tenant_past;
DROP TRIGGER past_row ON tenant;
ALTER TABLE tenant DROP COLUMN values_kept_years;
CREATE TRIGGER past_row AFTER DELETE OR UPDATE OF identifier, name, time_zone, default_page_size, max_page_size, master_tenant_id, mask_sensitive, default_user_status, min_password_length, password_sign_in ON tenant FOR EACH ROW EXECUTE FUNCTION keep_past_row('tenant', 'id', 'id', '', '');
CREATE VIEW tenant_past WITH (security_invoker = true) AS SELECT p.row_id AS id, r.identifier, r.name, r.time_zone, r.default_page_size, r.max_page_size, r.created_at, r.master_tenant_id, r.mask_sensitive, r.default_user_status, r.min_password_length, r.last_modified, r.password_sign_in, r.values_kept_since, p.at AS past_until
    FROM past_row p CROSS JOIN LATERAL jsonb_populate_record(NULL::tenant, p.image) r WHERE p.relation = 'tenant' AND p.image IS NOT NULL;
