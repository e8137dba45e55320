package model

// Outcome is what the payload of every mutation tells.
type Outcome struct {
	UserErrors []*UserError
	Applied    bool
}

// IsPayload implements Payload.
func (Outcome) IsPayload() {}

// The payloads that several mutations answer; cmd/generate says which.
type (
	// RecordPayload tells of a record of the agency.
	RecordPayload struct {
		Record *Object
		Outcome
	}
	// DeletePayload tells of what was deleted.
	DeletePayload struct {
		DeletedID *string
		Outcome
	}
	// AgentPayload tells of a change of an agent that changes histories.
	AgentPayload struct {
		Agent, Build *Object
		Changes      []*PeriodChangeSet
		Outcome
	}
	// PeriodPayload tells of a change of a history.
	PeriodPayload struct {
		Period, Certification, Build *Object
		Changes                      *PeriodChangeSet
		Outcome
	}
	// CertificationPayload tells of a certification.
	CertificationPayload struct {
		Certification *Object
		IsNew         *bool
		Changes       *PeriodChangeSet
		Outcome
	}
	// ApplicationPayload tells of an application.
	ApplicationPayload struct {
		Application *Application
		Agent       *Object
		Outcome
	}
	// BackgroundQuestionPayload tells of a question.
	BackgroundQuestionPayload struct {
		BackgroundQuestion *BackgroundQuestion
		Outcome
	}
	// ReportRecipePayload tells of a report recipe.
	ReportRecipePayload struct {
		ReportRecipe *ReportRecipe
		Outcome
	}
	// PresetPayload tells of a preset.
	PresetPayload struct {
		Preset *Preset
		Outcome
	}
	// ScenarioPayload tells of a scenario.
	ScenarioPayload struct {
		Scenario *Scenario
		Outcome
	}
	// UserPayload tells of a user.
	UserPayload struct {
		User *User
		Outcome
	}
	// RolePayload tells of a role.
	RolePayload struct {
		Role *Role
		Outcome
	}
	// SignInProviderPayload tells of an OpenID provider.
	SignInProviderPayload struct {
		SignInProvider *SignInProvider
		Outcome
	}
	// ClientPayload tells of an API client, its new secret, and how many documents were added.
	ClientPayload struct {
		Client *Client
		Secret *string
		Added  int
		Outcome
	}
	// APIKeyPayload tells of an API key, and its secret.
	APIKeyPayload struct {
		APIKey *APIKey
		Secret *string
		Outcome
	}
	// WebhookSubscriptionPayload tells of a webhook subscription, and its new secret.
	WebhookSubscriptionPayload struct {
		WebhookSubscription *WebhookSubscription
		Secret              *string
		Queued              int
		Outcome
	}
	// WebhookDeliveryPayload tells of a delivery.
	WebhookDeliveryPayload struct {
		Delivery *WebhookDelivery
		Outcome
	}
)
