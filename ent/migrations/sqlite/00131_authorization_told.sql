-- +goose Up
-- How far the changes of sales authorizations of an agency are told: through which event of
-- the feed, for which day, and, while everybody is looked at again, after which agent.
CREATE TABLE authorization_watch (
    tenant_id integer NOT NULL REFERENCES tenant (id),
    position integer NOT NULL,
    day text NOT NULL,
    swept_to integer,
    PRIMARY KEY (tenant_id)
) WITHOUT ROWID;

-- Who was last told to be authorized for watched products.
CREATE TABLE authorization_told (
    tenant_id integer NOT NULL,
    agent_code text NOT NULL,
    product text NOT NULL,
    jurisdiction text NOT NULL,
    PRIMARY KEY (tenant_id, agent_code, product, jurisdiction)
) WITHOUT ROWID;

-- +goose Down
DROP TABLE authorization_told;
DROP TABLE authorization_watch;
