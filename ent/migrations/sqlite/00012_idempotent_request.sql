-- +goose Up
-- A request with an Idempotency-Key, written in the transaction of its change.
CREATE TABLE idempotent_request (
    tenant_id integer NOT NULL REFERENCES tenant (id),
    -- Whose key it is: the subject of the token.
    subject text NOT NULL,
    key text NOT NULL,
    -- A keyed fingerprint of method, path and body.
    fingerprint blob NOT NULL,
    created_at datetime NOT NULL,
    -- The answer, encrypted; absent until it was sent.
    status integer,
    response blob,
    PRIMARY KEY (tenant_id, subject, key)
);
CREATE INDEX idempotent_request_created_at ON idempotent_request (tenant_id, created_at);

-- +goose Down
DROP TABLE idempotent_request;
