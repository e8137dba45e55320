-- +goose Up
-- An expiry whose offset led out of the years of four digits could be written and not
-- be read again: lists, tokens and commands of all tenants failed.
UPDATE identity_client SET expires_at = '9999-12-31 23:59:59+00:00' WHERE substr(expires_at, 5, 1) <> '-';
UPDATE identity_api_key SET expires_at = '9999-12-31 23:59:59+00:00' WHERE substr(expires_at, 5, 1) <> '-';

-- +goose Down
-- What was written before is not known; the last instant of the bounds stays.
SELECT 1;
