-- +goose Up
-- SQLite has no row-level security: its file has one process, with one role.
SELECT 1;

-- +goose Down
SELECT 1;
