package visibility

import "github.com/uplinehq/upline/internal/history"

// shadows say, for each table that holds something about agents, which of its rows a
// limited caller sees. Every table is either here or in open, with the reason; a test
// compares both with the tables of the database.
var shadows = withHistories(map[string]func(v vision) string{
	"agency_agent":                byColumn("agency_agent", "id"),
	"agency_agent_count":          counted,
	"agency_agent_key":            byColumn("agency_agent_key", "agent_id"),
	"agency_agent_modified":       modified,
	"agency_address":              byColumn("agency_address", "agent_id"),
	"agency_phone":                byColumn("agency_phone", "agent_id"),
	"agency_certification":        byColumn("agency_certification", "agent_id"),
	"agency_w9":                   byColumn("agency_w9", "agent_id"),
	"agency_direct_deposit":       byColumn("agency_direct_deposit", "agent_id"),
	"agency_alias":                byColumn("agency_alias", "agent_id"),
	"agency_tag_assignment":       byColumn("agency_tag_assignment", "agent_id"),
	"insights_commission_payment": byColumn("insights_commission_payment", "agent_id"),
	"insights_production_record":  byColumn("insights_production_record", "agent_id"),
	"identity_user_agent":         byColumn("identity_user_agent", "agent_id"),

	"identity_user":      byUser("identity_user", "id"),
	"identity_user_role": byUser("identity_user_role", "user_id"),

	"agency_upline_period": uplinePeriods,
	"hierarchy_node":       nodes,
	"hierarchy_closure":    closure,
	"hierarchy_build":      build,

	"onboarding_application":               applications,
	"onboarding_application_status_change": applicationSteps,
	"outbox_event":                         events,
	"audit_entry":                          entries("audit_entry", "CASE WHEN x.keys_of IS NULL THEN x.seq ELSE x.keys_of END", "x.at"),
	"audit_entry_key":                      entries("audit_entry_key", "x.seq", "e.at"),

	// Tables behind scopes that a limited caller never has, and for background work; and
	// scenarios, which name agents of the whole agency, and which only who may reorganise it
	// makes.
	"webhook_subscription":        nothing("webhook_subscription"),
	"webhook_message":             nothing("webhook_message"),
	"webhook_delivery":            nothing("webhook_delivery"),
	"webhook_fanout":              nothing("webhook_fanout"),
	"identity_api_key":            nothing("identity_api_key"),
	"identity_document":           nothing("identity_document"),
	"identity_schema_use":         nothing("identity_schema_use"),
	"identity_provider":           nothing("identity_provider"),
	"identity_provider_role":      nothing("identity_provider_role"),
	"identity_provider_request":   nothing("identity_provider_request"),
	"identity_provider_user":      nothing("identity_provider_user"),
	"agency_scenario":             nothing("agency_scenario"),
	"agency_scenario_review":      nothing("agency_scenario_review"),
	"agency_scenario_role":        nothing("agency_scenario_role"),
	"hierarchy_change":            nothing("hierarchy_change"),
	"agency_certification_expiry": nothing("agency_certification_expiry"),
	"authorization_told":          nothing("authorization_told"),
	"authorization_watch":         nothing("authorization_watch"),
	"tenant_agent_code":           nothing("tenant_agent_code"),
	"audit_head":                  nothing("audit_head"),
	"audit_unlinked":              nothing("audit_unlinked"),
	"past_row":                    nothing("past_row"),
})

// withHistories adds the tables of the dated relations, except those that say something of
// another agent too.
func withHistories(all map[string]func(v vision) string) map[string]func(v vision) string {
	for _, r := range history.Relations {
		switch {
		case all[r.Table] != nil || open[r.Table] != "":
		case r.IsOfAgents():
			all[r.Table] = byColumn(r.Table, r.Owner)
		default:
			all[r.Table] = byParent(r.Table, r.Owner, r.Owners, "agent_id")
		}
	}
	return all
}

// byColumn is for tables whose rows belong to one agent.
func byColumn(table, column string) func(vision) string {
	return func(v vision) string { return v.rows(table, v.sees("x."+column)) }
}

// byParent is for tables whose rows belong to a row of an agent.
func byParent(table, column, parent, agent string) func(vision) string {
	return func(v vision) string {
		return v.rows(table, "EXISTS (SELECT 1 FROM "+v.table(parent)+" o WHERE o.tenant_id = "+v.tenant+" AND o.id = x."+column+" AND "+v.sees("o."+agent)+")")
	}
}

// byUser is for users, and shows those who are an agent that the caller sees.
func byUser(table, column string) func(vision) string {
	return func(v vision) string {
		return v.rows(table, "EXISTS (SELECT 1 FROM "+v.table("identity_user_agent")+" o WHERE o.tenant_id = "+v.tenant+" AND o.user_id = x."+column+" AND "+v.sees("o.agent_id")+")")
	}
}

func nothing(table string) func(vision) string {
	return func(v vision) string { return v.rows(table, "1 = 0") }
}

// uplinePeriods shows an upline that the caller does not see like a deleted one: its code
// is part of the record of the agent below, but the agent behind the code is missing. The
// join keeps the index by upline useful.
func uplinePeriods(v vision) string {
	return "SELECT x.id, x.tenant_id, x.team_id, x.agent_id, u.id AS upline_agent_id," +
		" CASE WHEN u.id IS NULL AND x.upline_agent_id IS NOT NULL THEN (SELECT a.code FROM " + v.table("agency_agent") + " a" +
		" WHERE a.tenant_id = " + v.tenant + " AND a.id = x.upline_agent_id) ELSE x.deleted_upline_code END AS deleted_upline_code," +
		" x.effective_from, x.effective_through, x.recorded_at, x.recorded_by, x.superseded_at, x.stated" +
		" FROM " + v.table("agency_upline_period") + " x" +
		" LEFT JOIN " + v.table("agency_agent") + " u ON u.tenant_id = " + v.tenant + " AND u.id = x.upline_agent_id AND " + v.sees("u.id") +
		" WHERE x.tenant_id = " + v.tenant + " AND " + v.sees("x.agent_id")
}

// nodes shows an agent as a root if the caller does not see its upline.
func nodes(v vision) string {
	return "SELECT x.tenant_id, x.team_id, x.agent_id, u.id AS upline_agent_id, x.depth, x.direct_count, x.downline_count" +
		" FROM " + v.table("hierarchy_node") + " x" +
		" LEFT JOIN " + v.table("agency_agent") + " u ON u.tenant_id = " + v.tenant + " AND u.id = x.upline_agent_id AND " + v.sees("u.id") +
		" WHERE x.tenant_id = " + v.tenant + " AND " + v.sees("x.agent_id")
}

func closure(v vision) string {
	return v.rows("hierarchy_closure", v.sees("x.ancestor_id")+" AND "+v.sees("x.descendant_id"))
}

// counted counts what the caller sees, and has no row when that is nothing.
func counted(v vision) string {
	return "SELECT CAST(" + v.tenant + " AS bigint) AS tenant_id, 0 AS slot, count(*) AS agents FROM " + v.table("agency_agent") + " x WHERE x.tenant_id = " + v.tenant + " AND " + v.sees("x.id") + " HAVING count(*) > 0"
}

// modified has when each agent was last changed.
func modified(v vision) string {
	if v.known == "" {
		return byColumn("agency_agent_modified", "agent_id")(v)
	}
	return "SELECT x.tenant_id, x.id AS agent_id, x.last_modified FROM " + v.table("agency_agent") + " x WHERE x.tenant_id = " + v.tenant + " AND " + v.sees("x.id")
}

// build counts what the caller sees, not what there is.
func build(v vision) string {
	seen := " FROM " + v.table("hierarchy_node") + " o WHERE o.tenant_id = " + v.tenant + " AND o.team_id = x.team_id AND " + v.sees("o.agent_id") + ")"
	return "SELECT x.tenant_id, x.team_id, x.changed_version, x.built_version, x.built_for, x.status, x.queued_at, x.started_at, x.finished_at," +
		" (SELECT CAST(count(*) AS integer)" + seen + " AS agent_count, (SELECT CAST(coalesce(sum(o.downline_count), 0) AS integer)" + seen + " AS relation_count" +
		" FROM " + v.table("hierarchy_build") + " x WHERE x.tenant_id = " + v.tenant
}

// applications are those that an agent whom the caller sees has recruited.
func applications(v vision) string {
	return v.rows("onboarding_application", v.seesCode("x.recruiter_agent_code", ""))
}

func applicationSteps(v vision) string {
	return v.rows("onboarding_application_status_change", "EXISTS (SELECT 1 FROM "+v.table("onboarding_application")+" o WHERE o.tenant_id = "+v.tenant+
		" AND o.id = x.application_id AND "+v.seesCode("o.recruiter_agent_code", "")+")")
}

// events are those about an agent whom the caller sees, since its registration: a deleted
// agent may have had the code before.
func events(v vision) string {
	return v.rows("outbox_event", v.seesCode("x.agent_code", " AND a.created_at <= x.occurred_at"))
}

// entries are the entries of the audit trail about agents whom the caller sees, all of
// them: an entry that names other agents too would tell about those. keysOf is the number
// under which the keys of a row are stored, at its instant.
func entries(table, keysOf, at string) func(vision) string {
	return func(v vision) string {
		keys := " FROM " + v.table("audit_entry_key") + " k JOIN " + v.table("audit_entry") + " e ON e.tenant_id = k.tenant_id AND e.seq = k.seq" +
			" WHERE k.tenant_id = " + v.tenant + " AND k.seq = " + keysOf
		// These are scalars, so that PostgreSQL evaluates them only for the rows that all
		// other conditions leave, instead of joining with the keys of the whole trail. The
		// first key that the caller does not see ends the look at an entry of an import.
		return v.rows(table, "x.entity_type = 'Agent' AND 1 = coalesce((SELECT 0"+keys+" AND NOT "+v.seesCode("k.entity_key", " AND a.created_at <= "+at)+" LIMIT 1),"+
			" (SELECT 1"+keys+" LIMIT 1))")
	}
}

// open are the tables that a limited caller reads unchanged, with the reason.
var open = map[string]string{
	"tenant":                         "the agency itself; read at the door",
	"tenant_keyset":                  "keys, read by the vault",
	"identity_client":                "read at the door; its fields need read:clients, which a limited caller never has",
	"identity_signing_key":           "keys, read by the issuer",
	"identity_session":               "hashes, read at the door",
	"identity_grant":                 "read at the door and by the issuer",
	"identity_refresh_token":         "hashes, read by the issuer",
	"identity_revoked_token":         "ids of tokens, read at the door",
	"identity_attempt":               "counts by keyed hashes, read by the sign-in page",
	"identity_role":                  "names and scopes; nothing of an agent",
	"identity_preset":                "read with the condition that it is the caller's own",
	"agency_team":                    "reference data",
	"agency_agent_level":             "reference data",
	"agency_certification_type":      "reference data",
	"agency_jurisdiction":            "reference data",
	"agency_pay_status":              "reference data",
	"agency_provider_company":        "reference data",
	"agency_product":                 "reference data",
	"agency_product_rule":            "reference data",
	"agency_product_rule_period":     "reference data",
	"agency_tag":                     "reference data; who wears a tag is in agency_tag_assignment",
	"bulk_import":                    "a limited caller can import nothing, and is refused before it is looked for",
	"bulk_import_rejection":          "a limited caller can import nothing, and is refused before it is looked for",
	"bulk_import_row":                "numbers of rows, read of a change that the caller sees",
	"idempotent_request":             "a caller finds its own keys only",
	"insights_report_recipe":         "of no tenant; definitions, and nothing of an agent",
	"insights_agency_recipe":         "definitions that the agency wrote for whoever runs reports",
	"export":                         "a caller finds its own exports only",
	"export_chunk":                   "encrypted; its export is looked up first",
	"audit_written":                  "how much was written to the trail",
	"change_clock":                   "the time of the change under way",
	"outbox_feed":                    "positions of the feed, without what is there",
	"onboarding_app_configuration":   "what the agency publishes for every recruit",
	"onboarding_background_question": "what the agency publishes for every recruit",
	"onboarding_contract_version":    "what the agency publishes for every recruit",
	"onboarding_contract_covenant":   "what the agency publishes for every recruit",
}
