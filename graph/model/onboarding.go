package model

import (
	"context"

	"github.com/uplinehq/upline/internal/date"
	"github.com/uplinehq/upline/internal/history"
	"github.com/uplinehq/upline/internal/onboarding"
)

// Application is an application. It is not dated; the agents reached through it
// are as of At.
type Application struct {
	*onboarding.Application
	At history.AsOf
	// Form decrypts the form when the first of its fields is asked for.
	Form func(ctx context.Context) (*onboarding.Form, error)
}

// ApplicationReplaceInput is everything that the recruit of an application filled in.
type ApplicationReplaceInput struct {
	ID string
	onboarding.Form
}

// ApplicationUpdateInput is what changes of that. Which of it was sent is told by the
// request.
type ApplicationUpdateInput ApplicationReplaceInput

// IsNode and IsAudited name the interfaces of the GraphQL type.
func (Application) IsNode()    {}
func (Application) IsAudited() {}

// GlobalID is the field id.
func (a *Application) GlobalID() string { return ViewID(ApplicationNode, a.ID, a.At) }

// Status is the status of the application.
func (a *Application) Status() string { return string(a.Application.Status) }

// filledIn returns a part of the form that the recruit filled in.
func filledIn[T any](ctx context.Context, a *Application, part func(*onboarding.Form) T) (none T, err error) {
	f, err := a.Form(ctx)
	if err != nil {
		return none, err
	}
	return part(f), nil
}

// MiddleName is the middle name.
func (a *Application) MiddleName(ctx context.Context) (*string, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *string { return f.MiddleName })
}

// CommonName is the preferred first name.
func (a *Application) CommonName(ctx context.Context) (*string, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *string { return f.CommonName })
}

// Suffix is the suffix of the name.
func (a *Application) Suffix(ctx context.Context) (*string, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *string { return f.Suffix })
}

// BirthDate is the day of birth.
func (a *Application) BirthDate(ctx context.Context) (*date.Date, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *date.Date { return f.BirthDate })
}

// Gender is the gender.
func (a *Application) Gender(ctx context.Context) (*string, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *string { return f.Gender })
}

// MaritalStatus is the marital status.
func (a *Application) MaritalStatus(ctx context.Context) (*string, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *string { return f.MaritalStatus })
}

// Spouse is the husband, wife or partner.
func (a *Application) Spouse(ctx context.Context) (*onboarding.Spouse, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *onboarding.Spouse { return f.Spouse })
}

// HomeAddress is the home address.
func (a *Application) HomeAddress(ctx context.Context) (*onboarding.Address, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *onboarding.Address { return f.HomeAddress })
}

// BusinessAddress is the business address.
func (a *Application) BusinessAddress(ctx context.Context) (*onboarding.Address, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *onboarding.Address { return f.BusinessAddress })
}

// HomePhone is the home phone.
func (a *Application) HomePhone(ctx context.Context) (*onboarding.Phone, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *onboarding.Phone { return f.HomePhone })
}

// CellPhone is the cell phone.
func (a *Application) CellPhone(ctx context.Context) (*onboarding.Phone, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *onboarding.Phone { return f.CellPhone })
}

// Licenses are the licences of the recruit.
func (a *Application) Licenses(ctx context.Context) (*onboarding.Licenses, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *onboarding.Licenses { return f.Licenses })
}

// Employment are the recruit's present and past employers.
func (a *Application) Employment(ctx context.Context) (*onboarding.Employment, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *onboarding.Employment { return f.Employment })
}

// Background are the answers to the background questions.
func (a *Application) Background(ctx context.Context) (*onboarding.Background, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *onboarding.Background { return f.Background })
}

// Dedicated is whether the recruit will work for this agency only.
func (a *Application) Dedicated(ctx context.Context) (*bool, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *bool { return f.Dedicated })
}

// AgentLevelValue is the agent level for the new agent.
func (a *Application) AgentLevelValue(ctx context.Context) (*int, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *int { return f.AgentLevelValue })
}

// SelectedProductID is the id of the product that the recruit chose.
func (a *Application) SelectedProductID(ctx context.Context) (*string, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *string { return f.SelectedProductID })
}

// OrderID is the order in the agency's shop.
func (a *Application) OrderID(ctx context.Context) (*string, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *string { return f.OrderID })
}

// CartID is the cart in the agency's shop.
func (a *Application) CartID(ctx context.Context) (*string, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *string { return f.CartID })
}

// W9 is the W9 of the recruit.
func (a *Application) W9(ctx context.Context) (*ApplicationW9, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *ApplicationW9 {
		if f.W9 == nil {
			return nil
		}
		return &ApplicationW9{f.W9, a.UID}
	})
}

// Contract is the contract as the recruit signed it.
func (a *Application) Contract(ctx context.Context) (*ApplicationContract, error) {
	return filledIn(ctx, a, func(f *onboarding.Form) *ApplicationContract {
		if f.Contract == nil {
			return nil
		}
		return &ApplicationContract{f.Contract, a.UID}
	})
}

// ApplicationW9 is the W9 of an application.
type ApplicationW9 struct {
	*onboarding.W9
	// ApplicationID is the id of the application that clients use.
	ApplicationID string
}

// ApplicationContract is the contract of an application.
type ApplicationContract struct {
	*onboarding.Signed
	// ApplicationID is the id of the application that clients use.
	ApplicationID string
}
