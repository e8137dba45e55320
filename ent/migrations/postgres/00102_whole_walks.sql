-- +goose Up
-- Nothing: the index of walks has had all columns since migration 61. SQLite has another one.
SELECT 1;

-- +goose Down
SELECT 1;
