-- +goose Up
-- audit_entry_keys stays: servers of the version before look things up by it.
-- Where row-level security holds, PostgreSQL looks nothing up by coalesce: it does not
-- know it to be leakproof, and compared every entry of a tenant with every key of it.
CREATE INDEX audit_entry_keys_case ON audit_entry (tenant_id, (CASE WHEN keys_of IS NULL THEN seq ELSE keys_of END), seq);

-- +goose Down
DROP INDEX audit_entry_keys_case;
