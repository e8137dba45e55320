-- +goose Up
-- The tables with most rows are analysed after a fiftieth of them has changed, and not
-- after a tenth: an agency that is imported into a database of many is a small part of each
-- table, and just what the planner does not know. They are vacuumed earlier, too, so that
-- an index that has all columns of a statement is enough for it.
-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['agency_agent', 'agency_certification', 'agency_certification_period', 'agency_level_period',
        'agency_pay_status_period', 'agency_upline_period', 'agency_w9_period', 'hierarchy_closure', 'hierarchy_node']
    LOOP
        EXECUTE format('ALTER TABLE %I SET (autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05)', name);
    END LOOP;
END
$$;
-- +goose StatementEnd

-- +goose Down
-- +goose StatementBegin
DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['agency_agent', 'agency_certification', 'agency_certification_period', 'agency_level_period',
        'agency_pay_status_period', 'agency_upline_period', 'agency_w9_period', 'hierarchy_closure', 'hierarchy_node']
    LOOP
        EXECUTE format('ALTER TABLE %I RESET (autovacuum_analyze_scale_factor, autovacuum_vacuum_scale_factor, autovacuum_vacuum_insert_scale_factor)', name);
    END LOOP;
END
$$;
-- +goose StatementEnd
