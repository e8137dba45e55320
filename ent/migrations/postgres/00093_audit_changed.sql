-- +goose Up
-- The newest entry of a change, where seq may be that of a reveal: a read replica that
-- has it has what the tenant's people changed.
ALTER TABLE audit_head ADD COLUMN changed_seq bigint NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE audit_head DROP COLUMN changed_seq;
