-- +goose Up
-- The row in which the days of a period were first stated: what is left of a period that was
-- cut names the row that was cut. Without a value it is the row itself.
ALTER TABLE agency_pay_status_period ADD COLUMN stated integer;
ALTER TABLE agency_w9_period ADD COLUMN stated integer;
ALTER TABLE agency_level_period ADD COLUMN stated integer;
ALTER TABLE agency_upline_period ADD COLUMN stated integer;
ALTER TABLE agency_certification_period ADD COLUMN stated integer;
ALTER TABLE agency_product_rule_period ADD COLUMN stated integer;

-- +goose Down
ALTER TABLE agency_pay_status_period DROP COLUMN stated;
ALTER TABLE agency_w9_period DROP COLUMN stated;
ALTER TABLE agency_level_period DROP COLUMN stated;
ALTER TABLE agency_upline_period DROP COLUMN stated;
ALTER TABLE agency_certification_period DROP COLUMN stated;
ALTER TABLE agency_product_rule_period DROP COLUMN stated;
