-- +goose Up
-- No server ever asked for graphql:adhoc; it is no scope any more.
UPDATE identity_client SET scopes = trim(replace(' ' || scopes || ' ', ' graphql:adhoc ', ' '))
WHERE ' ' || scopes || ' ' LIKE '% graphql:adhoc %';
UPDATE identity_api_key SET scopes = trim(replace(' ' || scopes || ' ', ' graphql:adhoc ', ' '))
WHERE ' ' || scopes || ' ' LIKE '% graphql:adhoc %';
UPDATE identity_role SET scopes = trim(replace(' ' || scopes || ' ', ' graphql:adhoc ', ' '))
WHERE ' ' || scopes || ' ' LIKE '% graphql:adhoc %';
UPDATE identity_grant SET scopes = trim(replace(' ' || scopes || ' ', ' graphql:adhoc ', ' '))
WHERE ' ' || scopes || ' ' LIKE '% graphql:adhoc %';

-- +goose Down
-- Who had it cannot be told, and it gave nothing.
SELECT 1;
