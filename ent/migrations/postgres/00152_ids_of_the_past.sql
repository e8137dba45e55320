-- +goose Up
-- On SQLite the ids in rows as they were become integers; here they are.
SELECT 1;

-- +goose Down
SELECT 1;
