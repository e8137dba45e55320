// Package takeback tests what the trail tells of changes, why values are what they are, and
// that changes are taken back, with random ledgers: every mutation of the schema, on a few
// agents and days. After each write it reads the whole agency through the doors, and works
// out from these readings alone what must be told (docs/testing.md).
package takeback
