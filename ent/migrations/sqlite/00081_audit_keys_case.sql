-- +goose Up
-- As on PostgreSQL, where an expression with coalesce serves no role that policies hold for.
CREATE INDEX audit_entry_keys_case ON audit_entry (tenant_id, CASE WHEN keys_of IS NULL THEN seq ELSE keys_of END, seq);

-- +goose Down
DROP INDEX audit_entry_keys_case;
