-- +goose Up
-- The entries of a key are looked up by the entry that has their keys: their own, or
-- the one that they share them with. "seq = … OR keys_of = …" could be looked up in no
-- index, and compared every entry of a tenant with every key of it.
CREATE INDEX audit_entry_keys ON audit_entry (tenant_id, (coalesce(keys_of, seq)), seq);
DROP INDEX audit_entry_keys_of;

-- +goose Down
CREATE INDEX audit_entry_keys_of ON audit_entry (tenant_id, keys_of, seq) WHERE keys_of IS NOT NULL;
DROP INDEX audit_entry_keys;
