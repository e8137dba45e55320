-- +goose Up
-- The certifications of an agent are read in the order of their ids. The index that keeps
-- them unique has long keys, and its rows had to be sorted for each agent of a page.
CREATE INDEX agency_certification_agent ON agency_certification (tenant_id, agent_id, id);

-- +goose Down
DROP INDEX agency_certification_agent;
