package model

import "github.com/uplinehq/upline/internal/onboarding"

// AppConfiguration is a version of what onboarding collects.
type AppConfiguration struct{ *onboarding.Configuration }

// Products are what recruits may choose from.
func (c *AppConfiguration) Products() []*OnboardingProduct {
	shown := make([]*OnboardingProduct, len(c.Configuration.Products))
	for i := range shown {
		shown[i] = &c.Configuration.Products[i]
	}
	return shown
}

// OnboardingProduct is something that recruits may choose.
type OnboardingProduct = onboarding.Product

// BackgroundQuestion is a version of a question about a recruit's past.
type BackgroundQuestion struct{ *onboarding.Question }

// ContentItemID is the same in all versions.
func (q *BackgroundQuestion) ContentItemID() string { return q.ItemUID }

// ContentItemVersionID is the version's.
func (q *BackgroundQuestion) ContentItemVersionID() string { return q.UID }

// ResponseType is how it is answered.
func (q *BackgroundQuestion) ResponseType() QuestionResponseType {
	return QuestionResponseType(q.Question.ResponseType)
}

// ContractVersion is a version of the contract.
type ContractVersion struct{ *onboarding.Contract }

// IsNode names the interface of the GraphQL type.
func (ContractVersion) IsNode() {}

// GlobalID is the field id.
func (c *ContractVersion) GlobalID() string { return RowID(ContractVersionNode, c.ID) }

// VersionID is what a signed contract names.
func (c *ContractVersion) VersionID() string { return c.UID }

// Covenants are what recruits affirm with it.
func (c *ContractVersion) Covenants() []*ContractCovenant {
	shown := make([]*ContractCovenant, len(c.Contract.Covenants))
	for i, v := range c.Contract.Covenants {
		shown[i] = &ContractCovenant{Covenant: v}
	}
	return shown
}

// ContractCovenant is something that recruits affirm.
type ContractCovenant struct{ *onboarding.Covenant }

// ContentItemID is the same in all versions.
func (c *ContractCovenant) ContentItemID() string { return c.ItemUID }

// ContentItemVersionID is the version's.
func (c *ContractCovenant) ContentItemVersionID() string { return c.UID }
