package agency

// SealGovernmentIdentifier is for tests that store agents themselves.
var SealGovernmentIdentifier = sealGovernmentIdentifier

// StandingsQuery is the statement of the second pass of an import.
var StandingsQuery = standingsQuery
