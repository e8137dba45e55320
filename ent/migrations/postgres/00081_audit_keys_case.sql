-- +goose Up
-- Where row-level security holds, PostgreSQL looks nothing up by coalesce: it does not
-- know it to be leakproof, and compared every entry of a tenant with every key of it.
CREATE INDEX audit_entry_keys_case ON audit_entry (tenant_id, (CASE WHEN keys_of IS NULL THEN seq ELSE keys_of END), seq);
DROP INDEX audit_entry_keys;

-- +goose Down
CREATE INDEX audit_entry_keys ON audit_entry (tenant_id, (coalesce(keys_of, seq)), seq);
DROP INDEX audit_entry_keys_case;
