package agency

// SealGovernmentIdentifier is for tests that store agents themselves.
var SealGovernmentIdentifier = sealGovernmentIdentifier
