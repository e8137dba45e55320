-- +goose Up
-- An application stays when the agent that it became is deleted, with the contract that
-- was signed in it: only the link is cut, by who deletes the agent.
ALTER TABLE onboarding_application
    DROP CONSTRAINT onboarding_application_check1,
    ADD CONSTRAINT onboarding_application_check1 CHECK (status = 'PROCESSED' OR agent_id IS NULL),
    DROP CONSTRAINT onboarding_application_tenant_id_agent_id_fkey,
    ADD CONSTRAINT onboarding_application_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id);

-- +goose Down
-- What was left of deleted agents stays, and so does the condition that lets it.
ALTER TABLE onboarding_application
    DROP CONSTRAINT onboarding_application_tenant_id_agent_id_fkey,
    ADD CONSTRAINT onboarding_application_tenant_id_agent_id_fkey FOREIGN KEY (tenant_id, agent_id) REFERENCES agency_agent (tenant_id, id) ON DELETE CASCADE;
