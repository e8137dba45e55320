package directory

import (
	_ "embed" // the text of the starter contract
	"slices"
)

// Onboarding is what an agency publishes for its recruits (specification, "Agent
// Onboarding").
type Onboarding struct {
	Questions                   []Question
	ContractTitle, ContractBody string
	Covenants                   []Covenant
}

// Question is a question about the past that is answered with yes or no; yes
// asks for an explanation.
type Question struct{ Text, HelpText string }

// Covenant is a covenant that the recruit affirms by signing the contract.
type Covenant struct{ Title, Text string }

// StarterOnboarding returns what every new tenant has published: the usual questions of
// licence applications, and a neutral sample of a contract. The caller may change the
// result.
func StarterOnboarding() Onboarding {
	return Onboarding{
		Questions:     slices.Clone(starterQuestions),
		ContractTitle: "Independent Agent Agreement (sample)",
		ContractBody:  starterContract,
		Covenants:     slices.Clone(starterCovenants),
	}
}

//go:embed starter_contract.md
var starterContract string

var starterQuestions = []Question{
	{"Have you ever been convicted of, or pleaded guilty or no contest to, a felony or a misdemeanor?",
		"Leave out minor traffic violations and convictions that were expunged or sealed. For each, give the date, the court, the charge and the outcome."},
	{"Are you currently charged with a felony or a misdemeanor?",
		"Leave out minor traffic violations. Give the court, the charge and where the case stands."},
	{"Has an insurance, securities or other professional license of yours ever been denied, suspended, revoked or surrendered?",
		"Include licenses you gave up while an action was pending. Give the authority, the date and the reason."},
	{"Have you ever been fined, censured, placed on probation or otherwise sanctioned by a regulator, or are you under investigation by one?",
		"Include insurance departments, FINRA, the SEC and authorities outside the United States."},
	{"Have you filed for bankruptcy, or has a petition been filed against you, within the last ten years?",
		"Include a business that you owned or controlled. Give the chapter, the date and whether it was discharged."},
	{"Are there any unpaid judgments, tax liens, garnishments or child support arrears against you?",
		"Give the creditor, the amount and any payment plan."},
	{"Has a claim ever been made against you, your employer or your insurer for an error or omission of yours?",
		"Include claims that were settled, dismissed or are still open."},
	{"Has an insurer, agency or employer ever ended a contract or appointment of yours for cause, or asked you to resign over alleged misconduct?",
		"Give the company, the date and the reason you were told."},
	{"Do you owe money to an insurer, agency or marketing organization, such as unearned commissions or advances?",
		"Give the company, the amount and any repayment agreement."},
}

var starterCovenants = []Covenant{
	{"Truthful application", "I have answered every question of this application truthfully and completely, and will tell the agency promptly if an answer changes."},
	{"Independent contractor", "I understand that I act as an independent contractor, not as an employee, and that I am responsible for my own taxes and expenses."},
	{"Licenses and compliance", "I will sell only what I am licensed and appointed to sell, and will keep my licenses, continuing education and errors and omissions coverage in force."},
	{"Confidentiality", "I will keep the personal data of clients and the confidential information of the agency secret, during this agreement and after it ends."},
	{"Repayment of commissions", "I understand that commissions on premiums that are refunded have to be repaid, and that the agency may set them off against commissions that are due to me."},
}
