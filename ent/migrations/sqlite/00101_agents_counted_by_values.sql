-- +goose Up
-- SQLite's triggers count each row.
SELECT 1;

-- +goose Down
SELECT 1;
