package history

// InOrder is a condition that every period p meets. The indexes of live periods in other
// orders demand it, so only a statement that says it can use them. Otherwise SQLite would
// begin with them wherever certifications are joined to their periods, and so would
// PostgreSQL while it has no statistics.
const InOrder = " AND p.effective_from + 0 IS NOT NULL"

// LiveInOrder is the condition that those indexes demand.
const LiveInOrder = " AND p.superseded_at IS NULL" + InOrder

// LastDay is the last day of a period p; an open-ended period sorts after all others. It
// is written with CASE, as in the indexes: PostgreSQL cannot look up by coalesce for a
// role with policies.
const LastDay = "CASE WHEN p.effective_through IS NULL THEN '9999-12-31' ELSE p.effective_through END"
