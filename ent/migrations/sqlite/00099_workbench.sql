-- +goose Up
-- The report recipes that an agency writes for itself (decision 21). Those that all
-- agencies share are in insights_report_recipe.
CREATE TABLE insights_agency_recipe (
    id integer PRIMARY KEY AUTOINCREMENT,
    tenant_id integer NOT NULL REFERENCES tenant (id),
    -- The id that clients know.
    uid text NOT NULL,
    name text NOT NULL,
    -- The name in small letters, in the order of which recipes are listed.
    name_key text NOT NULL,
    description text,
    dataset text NOT NULL,
    -- A JSON object, as text so that it is the same in every database.
    definition text NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    created_at datetime NOT NULL,
    created_by text NOT NULL,
    last_modified datetime NOT NULL,
    last_modified_by text NOT NULL,
    UNIQUE (tenant_id, id),
    UNIQUE (tenant_id, uid),
    UNIQUE (tenant_id, name_key)
);

-- Where periods begin: the history of an agency is read from these alone. Only its
-- statements say that a day and 0 is not null, so that nothing else is looked up here:
-- SQLite would begin with these where certifications are joined to their periods.
CREATE INDEX agency_upline_period_begin ON agency_upline_period (tenant_id, team_id, effective_from) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_level_period_begin ON agency_level_period (tenant_id, team_id, effective_from) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_pay_status_period_begin ON agency_pay_status_period (tenant_id, effective_from) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;
CREATE INDEX agency_certification_period_begin ON agency_certification_period (tenant_id, effective_from) WHERE superseded_at IS NULL AND effective_from + 0 IS NOT NULL;

-- +goose Down
DROP INDEX agency_certification_period_begin;
DROP INDEX agency_pay_status_period_begin;
DROP INDEX agency_level_period_begin;
DROP INDEX agency_upline_period_begin;
DROP TABLE insights_agency_recipe;
