-- +goose Up
-- SQLite keeps no statistics (decision 11), so there is nothing to set.
SELECT 1;

-- +goose Down
SELECT 1;
