-- +goose Up
-- For how many years what values were before is kept; 0 is for ever.
ALTER TABLE tenant ADD COLUMN values_kept_years integer NOT NULL DEFAULT 0;
DROP VIEW tenant_past;
DROP TRIGGER tenant_past_changed;
DROP TRIGGER tenant_past_removed;
-- +goose StatementBegin
CREATE TRIGGER tenant_past_changed AFTER UPDATE OF identifier, name, time_zone, default_page_size, max_page_size, master_tenant_id, mask_sensitive, default_user_status, min_password_length, password_sign_in, values_kept_years ON tenant WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.id, 'tenant', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('identifier', OLD.identifier, 'name', OLD.name, 'time_zone', OLD.time_zone, 'default_page_size', OLD.default_page_size, 'max_page_size', OLD.max_page_size, 'created_at', OLD.created_at, 'master_tenant_id', OLD.master_tenant_id, 'mask_sensitive', OLD.mask_sensitive, 'default_user_status', OLD.default_user_status, 'min_password_length', OLD.min_password_length, 'last_modified', OLD.last_modified, 'password_sign_in', OLD.password_sign_in, 'values_kept_since', OLD.values_kept_since, 'values_kept_years', OLD.values_kept_years)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER tenant_past_removed AFTER DELETE ON tenant WHEN (SELECT at FROM change_clock) IS NOT NULL BEGIN
    INSERT INTO past_row (tenant_id, relation, row_id, part, at, agent_id, image)
    VALUES (OLD.id, 'tenant', OLD.id, 0, (SELECT at FROM change_clock), NULL, json_object('identifier', OLD.identifier, 'name', OLD.name, 'time_zone', OLD.time_zone, 'default_page_size', OLD.default_page_size, 'max_page_size', OLD.max_page_size, 'created_at', OLD.created_at, 'master_tenant_id', OLD.master_tenant_id, 'mask_sensitive', OLD.mask_sensitive, 'default_user_status', OLD.default_user_status, 'min_password_length', OLD.min_password_length, 'last_modified', OLD.last_modified, 'password_sign_in', OLD.password_sign_in, 'values_kept_since', OLD.values_kept_since, 'values_kept_years', OLD.values_kept_years)) ON CONFLICT DO NOTHING;
END;
-- +goose StatementEnd
CREATE VIEW tenant_past AS SELECT p.row_id AS id, p.image ->> 'identifier' AS identifier, p.image ->> 'name' AS name, p.image ->> 'time_zone' AS time_zone, p.image ->> 'default_page_size' AS default_page_size, p.image ->> 'max_page_size' AS max_page_size, p.image ->> 'created_at' AS created_at, p.image ->> 'master_tenant_id' AS master_tenant_id, p.image ->> 'mask_sensitive' AS mask_sensitive, p.image ->> 'default_user_status' AS default_user_status, p.image ->> 'min_password_length' AS min_password_length, p.image ->> 'last_modified' AS last_modified, p.image ->> 'password_sign_in' AS password_sign_in, p.image ->> 'values_kept_since' AS values_kept_since, p.image ->> 'values_kept_years' AS values_kept_years, p.at AS past_until
    FROM past_row p WHERE p.relation = 'tenant' AND p.image IS NOT NULL;

-- +goose Down
DROP VIEW tenant_past;
DROP TRIGGER tenant_past_changed;
DROP TRIGGER tenant_past_removed;
ALTER TABLE tenant DROP COLUMN values_kept_years;
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
