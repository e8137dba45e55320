package onboarding_test

import (
	"strings"

	"github.com/uplinehq/upline/internal/onboarding"
	"github.com/uplinehq/upline/internal/problem"
)

func bare() *onboarding.Form {
	return &onboarding.Form{RecruiterAgentCode: "A1", FirstName: "Ana", LastName: "Diaz", EmailAddress: "ana@example.com"}
}

func answer(id, value string) onboarding.Response {
	return onboarding.Response{ContentItemVersionID: id, ResponseValue: &value}
}

func address() *onboarding.Address {
	return &onboarding.Address{Address1: new("1 Main St"), City: new("Austin"), Jurisdiction: new("US-TX"), PostalCode: new("78701")}
}

func fields(l problem.List) []string {
	var all []string
	for _, p := range l {
		all = append(all, strings.Join(p.Field, "."))
	}
	return all
}
