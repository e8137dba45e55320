package model

import "github.com/uplinehq/upline/internal/onboarding"

// AppConfiguration is a version of what onboarding collects.
type AppConfiguration struct{ *onboarding.Configuration }

// Products are the products that recruits can choose from.
func (c *AppConfiguration) Products() []*OnboardingProduct {
	shown := make([]*OnboardingProduct, len(c.Configuration.Products))
	for i := range shown {
		shown[i] = &c.Configuration.Products[i]
	}
	return shown
}

// OnboardingProduct is a product that recruits can choose.
type OnboardingProduct = onboarding.Product

// BackgroundQuestion is a version of a question about a recruit's past.
type BackgroundQuestion struct{ *onboarding.Question }

// ContentItemID is the id of the question, the same in all its versions.
func (q *BackgroundQuestion) ContentItemID() string { return q.ItemUID }

// ContentItemVersionID is the id of this version.
func (q *BackgroundQuestion) ContentItemVersionID() string { return q.UID }

// ResponseType says how the question is answered.
func (q *BackgroundQuestion) ResponseType() QuestionResponseType {
	return QuestionResponseType(q.Question.ResponseType)
}

// ContractVersion is a version of the contract.
type ContractVersion struct{ *onboarding.Contract }

// IsNode names the interface of the GraphQL type.
func (ContractVersion) IsNode() {}

// GlobalID is the field id.
func (c *ContractVersion) GlobalID() string { return RowID(ContractVersionNode, c.ID) }

// VersionID is the id that a signed contract names.
func (c *ContractVersion) VersionID() string { return c.UID }

// Covenants are the covenants that recruits affirm with the contract.
func (c *ContractVersion) Covenants() []*ContractCovenant {
	shown := make([]*ContractCovenant, len(c.Contract.Covenants))
	for i, v := range c.Contract.Covenants {
		shown[i] = &ContractCovenant{Covenant: v}
	}
	return shown
}

// ContractCovenant is a covenant that recruits affirm.
type ContractCovenant struct{ *onboarding.Covenant }

// ContentItemID is the id of the covenant, the same in all its versions.
func (c *ContractCovenant) ContentItemID() string { return c.ItemUID }

// ContentItemVersionID is the id of this version.
func (c *ContractCovenant) ContentItemVersionID() string { return c.UID }
