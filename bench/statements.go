package main

import "strings"

// The statements of the server by hand. $1 is the tenant; where the answer is
// dated $2 is the day, $3 the team and $4 what is asked for.

const agentSQL = `SELECT json_build_object('agent', json_build_object('agentCode', a.code, 'firstName', a.first_name, 'lastName', a.last_name,
	'displayName', coalesce(a.common_name, a.first_name) || ' ' || a.last_name, 'email', a.email, 'npn', a.npn, 'birthDate', a.birth_date,
	'isDedicated', a.is_dedicated, 'startDate', to_char(a.start_date, 'YYYY-MM-DD"T"HH24:MI:SS"Z"')))
	FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $2`

// of writes a piece of SQL for the agent of an alias.
func of(alias, text string) string { return strings.ReplaceAll(text, "@", alias) }

const (
	naming   = `'agentCode', @.code, 'displayName', coalesce(@.common_name, @.first_name) || ' ' || @.last_name`
	standing = `'isActive', coalesce(@_s.is_active, false), 'payStatus', CASE WHEN @_s.name IS NOT NULL THEN json_build_object('name', @_s.name) END`

	joinStanding = `
	LEFT JOIN agency_pay_status_period @_p ON @_p.tenant_id = $1 AND @_p.agent_id = @.id AND @_p.superseded_at IS NULL
		AND @_p.effective_from <= $2 AND (@_p.effective_through IS NULL OR @_p.effective_through >= $2)
	LEFT JOIN agency_pay_status @_s ON @_s.tenant_id = $1 AND @_s.name = @_p.status`

	// joinUpline joins the upline of @ as @_u.
	joinUpline = `
	LEFT JOIN agency_upline_period @_q ON @_q.tenant_id = $1 AND @_q.team_id = $3 AND @_q.agent_id = @.id AND @_q.superseded_at IS NULL
		AND @_q.effective_from <= $2 AND (@_q.effective_through IS NULL OR @_q.effective_through >= $2)
	LEFT JOIN agency_agent @_u ON @_u.tenant_id = $1 AND @_u.id = @_q.upline_agent_id`

	certifications = `'certifications', json_build_object('nodes', coalesce((
		SELECT json_agg(json_build_object('databaseId', c.id, 'type', json_build_object('code', c.type),
			'jurisdiction', CASE WHEN c.jurisdiction IS NOT NULL THEN json_build_object('code', c.jurisdiction) END,
			'status', c.status, 'effectiveFrom', c.effective_from, 'effectiveThrough', c.effective_through, 'identifier', c.identifier) ORDER BY c.id)
		FROM (SELECT c.id, c.type, c.jurisdiction, c.identifier, p.status, p.effective_from, p.effective_through
			FROM agency_certification c JOIN agency_certification_period p ON p.tenant_id = $1 AND p.certification_id = c.id AND p.superseded_at IS NULL
				AND p.effective_from <= $2 AND (p.effective_through IS NULL OR p.effective_through >= $2)
			WHERE c.tenant_id = $1 AND c.agent_id = @.id ORDER BY c.id LIMIT 10) c), '[]'))`
)

var agentStatusSQL = `SELECT json_build_object('agent', json_build_object(` + of("a", naming) + `, 'email', a.email, ` + of("a", standing) + `,
	'upline', CASE WHEN a_u.id IS NOT NULL THEN json_build_object(` + of("a_u", naming) + `) END))
	FROM agency_agent a` + of("a", joinStanding) + of("a", joinUpline) + ` WHERE a.tenant_id = $1 AND a.code = $4`

var uplinesSQL = `SELECT json_build_object('agent', json_build_object(` + of("a", naming+`, `+standing+`, `+certifications) + `,
	'upline', CASE WHEN a_u.id IS NOT NULL THEN json_build_object(` + of("a_u", naming+`, `+standing+`, `+certifications) + `,
		'upline', CASE WHEN a_u_u.id IS NOT NULL THEN json_build_object(` + of("a_u_u", naming+`, `+standing+`, `+certifications) + `) END) END))
	FROM agency_agent a` + of("a", joinStanding) + of("a", joinUpline) + of("a_u", joinStanding) + of("a_u", joinUpline) + of("a_u_u", joinStanding) + `
	WHERE a.tenant_id = $1 AND a.code = $4`

var pageSQL = `WITH page AS (SELECT * FROM agency_agent WHERE tenant_id = $1 AND code > $4 ORDER BY code LIMIT 51)
	SELECT json_build_object('agents', json_build_object('nodes', coalesce((
		SELECT json_agg(json_build_object(` + of("a", naming+`, `+standing) + `,
			'upline', CASE WHEN a_u.id IS NOT NULL THEN json_build_object(` + of("a_u", naming) + `) END,
			` + of("a", certifications) + `) ORDER BY a.code)
		FROM (SELECT * FROM page ORDER BY code LIMIT 50) a` + of("a", joinStanding) + of("a", joinUpline) + `), '[]'),
	'pageInfo', json_build_object('hasNextPage', (SELECT count(*) > 50 FROM page))))`

// directs reads the first 10 direct reports of an agent.
const directs = `(SELECT descendant_id, level FROM hierarchy_closure WHERE tenant_id = $1 AND team_id = $3 AND ancestor_id = @.id AND level = 1
	ORDER BY descendant_id LIMIT 10)`

var downlinesSQL = `SELECT json_build_object('agent', json_build_object(` + of("a", naming) + `, 'downline', json_build_object('nodes', coalesce((
		SELECT json_agg(json_build_object(` + of("b", naming+`, `+certifications) + `, 'downline', json_build_object('nodes', coalesce((
			SELECT json_agg(json_build_object(` + of("d", naming+`, `+certifications) + `) ORDER BY d.id)
			FROM ` + of("b", directs) + ` r JOIN agency_agent d ON d.tenant_id = $1 AND d.id = r.descendant_id), '[]'))) ORDER BY b.id)
		FROM ` + of("a", directs) + ` r JOIN agency_agent b ON b.tenant_id = $1 AND b.id = r.descendant_id), '[]'))))
	FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $4 AND $2::date IS NOT NULL`

var flattenedSQL = `WITH root AS (SELECT id FROM agency_agent WHERE tenant_id = $1 AND code = $4),
	page AS (SELECT descendant_id, level FROM hierarchy_closure
		WHERE tenant_id = $1 AND team_id = $3 AND ancestor_id = (SELECT id FROM root) ORDER BY level, descendant_id LIMIT 101)
	SELECT json_build_object('agent', json_build_object('downline', json_build_object(
		'totalCount', (SELECT downline_count FROM hierarchy_node WHERE tenant_id = $1 AND team_id = $3 AND agent_id = (SELECT id FROM root)),
		'edges', coalesce((SELECT json_agg(json_build_object('level', r.level, 'node', json_build_object(` + of("a", naming+`, `+standing) + `)) ORDER BY r.level, a.id)
			FROM (SELECT * FROM page ORDER BY level, descendant_id LIMIT 100) r JOIN agency_agent a ON a.tenant_id = $1 AND a.id = r.descendant_id` + of("a", joinStanding) + `), '[]'),
		'pageInfo', json_build_object('hasNextPage', (SELECT count(*) > 100 FROM page)))))`

const (
	insertCertificationSQL = `INSERT INTO agency_certification (tenant_id, agent_id, type, jurisdiction, identifier, is_resident_certification, is_verified,
		created_at, created_by, last_modified, last_modified_by)
		SELECT a.tenant_id, a.id, $3, $4, $5, $6, $7, $8, $9, $8, $9 FROM agency_agent a WHERE a.tenant_id = $1 AND a.code = $2 RETURNING id, agent_id`
	insertPeriodSQL = `INSERT INTO agency_certification_period (tenant_id, certification_id, status, effective_from, recorded_at, recorded_by)
		VALUES ($1, $2, $3, $4::text::date, $5, $6)`
	touchAgentSQL = "UPDATE agency_agent SET last_modified = $1, last_modified_by = $2 WHERE tenant_id = $3 AND id = $4"
)
