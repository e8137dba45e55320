package doors_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/uplinehq/upline/app/apptest"
)

func anyCertification(t *testing.T, c *apptest.Caller) string {
	t.Helper()
	status, _, answer := c.REST(t, "POST", "/certifications", object{
		"agentCode": "A1001", "type": "HEALTH", "jurisdiction": "US-TX", "identifier": "77", "isResidentCertification": true, "isVerified": true, "effectiveFrom": "2026-05-01", "initiator": "hr"})
	if status != 201 {
		t.Fatalf("%d %s", status, answer)
	}
	return fmt.Sprint(apptest.At(decoded(t, answer), "id"))
}

// chance makes random values of writes.
type chance struct {
	*rand.Rand
	certification string
}

func (c *chance) pick(values ...any) any { return values[c.IntN(len(values))] }

func (c *chance) agent() string { return fmt.Sprintf("A%d", 1001+c.IntN(3)) }

func (c *chance) day(fromMonth, months int) string {
	return fmt.Sprintf("2026-%02d-%02d", fromMonth+c.IntN(months), 1+c.IntN(28))
}

// period is an input with a random period and more fields.
func (c *chance) period(fields ...any) object {
	made := input(append(fields, "effectiveFrom", c.day(4, 5))...)
	if c.IntN(2) == 0 {
		made["input"].(object)["effectiveThrough"] = c.day(6, 4)
	}
	return made
}

func (c *chance) w9() object {
	return object{"name": c.pick("Ann", "Bea"), "taxClassification": c.pick("INDIVIDUAL", "LLC_S"), "taxpayerIdentifier": c.pick("523-45-6781", "52-3456781", nil)}
}

// randomWrites are the writes that have a preview of histories, each with one
// random input.
var randomWrites = []func(c *chance) audited{
	func(c *chance) audited {
		return audited{mutation: "payStatusPeriodApply", method: "POST", path: "/payees/assigned-statuses",
			arguments: c.period("agentCode", c.agent(), "status", c.pick("Active", "Suspended", "Terminated"))}
	},
	func(c *chance) audited {
		return audited{mutation: "levelPeriodApply", method: "POST", path: "/teams/default/assigned-levels",
			arguments: c.period("agentCode", c.agent(), "level", c.pick(10, 20, 30))}
	},
	func(c *chance) audited {
		return audited{mutation: "uplinePeriodApply", method: "POST", path: "/teams/default/assigned-uplines",
			arguments: c.period("agentCode", c.agent(), "uplineAgentCode", c.pick("A1000", "A1001", "A1002", nil))}
	},
	func(c *chance) audited {
		return audited{mutation: "w9PeriodApply", method: "POST", path: "/payees/w9s", arguments: c.period("agentCode", c.agent(), "w9", c.w9())}
	},
	func(c *chance) audited {
		place := object{"level": c.pick(10, 20, 30), "directUpline": c.pick("A1000", "A1002", nil)}
		if c.IntN(2) == 0 {
			delete(place, "level")
		}
		return audited{mutation: "agentMembershipUpdate", method: "PATCH", path: "/teams/default/members/{agentCode}",
			arguments: with(input("membership", place), "agentCode", c.agent())}
	},
	func(c *chance) audited {
		change := object{"initiator": "hr"}
		if c.IntN(3) > 0 {
			change["status"] = c.pick("Active", "Suspended")
		}
		if c.IntN(3) > 0 {
			change["w9"] = c.w9()
		}
		if c.IntN(3) == 0 {
			change["directDeposit"] = auditedDeposit("12345678" + fmt.Sprint(c.IntN(2)))
		}
		return audited{mutation: "agentPayeeUpdate", method: "PATCH", path: "/agents/{agentCode}/payee", arguments: with(object{"input": change}, "agentCode", c.agent())}
	},
	func(c *chance) audited {
		change := input("note", c.pick("a", "b", nil))
		if c.IntN(2) == 0 {
			with(change["input"].(object), "status", c.pick("HELD", "ACTIVE"))
		}
		return audited{mutation: "certificationUpdate", method: "PATCH", path: "/certifications/{id}", arguments: with(change, "id", c.certification)}
	},
	func(c *chance) audited {
		return audited{mutation: "certificationUpsert", method: "POST", path: "/certifications",
			arguments: c.period("agentCode", "A1001", "type", "HEALTH", "jurisdiction", "US-TX", "identifier", c.pick("77", "78", "79"), "status", c.pick("ACTIVE", "HELD"),
				"isResidentCertification", true, "isVerified", c.pick(true, false))}
	},
	func(c *chance) audited {
		return audited{mutation: "certificationPeriodApply", method: "POST", path: "/certifications/{certificationId}/history",
			arguments: with(c.period("status", c.pick("ACTIVE", "SUSPENDED", "EXPIRED")), "certificationId", c.certification)}
	},
	func(c *chance) audited {
		moves := []any{object{"agentCode": "A1001", "newUplineAgentCode": c.pick("A1000", "A1003", nil)}}
		if c.IntN(2) == 0 {
			moves = append(moves, object{"agentCode": "A1002", "newLevel": c.pick(10, 20, 30)})
		}
		return audited{mutation: "reorgApply", arguments: input("effectiveFrom", c.day(5, 5), "moves", moves)}
	},
}
