package webhooks

// IsPublic and Shown are what the fuzz tests call.
var (
	IsPublic = isPublic
	Shown    = shown
)
