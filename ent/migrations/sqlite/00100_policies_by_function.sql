-- +goose Up
-- SQLite has no row-level security.
SELECT 1;

-- +goose Down
SELECT 1;
