-- +goose Up
-- How far the changes of sales authorizations of an agency are told: through which event of
-- the feed, for which day, and, while everybody is looked at again, after which agent.
CREATE TABLE authorization_watch (
    tenant_id bigint NOT NULL REFERENCES tenant (id),
    position bigint NOT NULL,
    day date NOT NULL,
    swept_to bigint,
    PRIMARY KEY (tenant_id)
);
ALTER TABLE authorization_watch ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON authorization_watch USING (tenant_id = app_tenant());

-- Who was last told to be authorized for watched products.
CREATE TABLE authorization_told (
    tenant_id bigint NOT NULL,
    agent_code text NOT NULL,
    product text NOT NULL,
    jurisdiction text NOT NULL,
    PRIMARY KEY (tenant_id, agent_code, product, jurisdiction)
);
ALTER TABLE authorization_told ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_tenant ON authorization_told USING (tenant_id = app_tenant());

-- +goose Down
DROP TABLE authorization_told;
DROP TABLE authorization_watch;
