package tenant

import "github.com/uplinehq/upline/internal/words/enum"

// UserStatus says whether a user may sign in. It stands here, below the area of
// users, since a tenant has one of its own: that of new users.
type UserStatus string

// "Pending (created, awaiting approval; cannot sign in), Approved (active; can
// sign in)" (User statuses).
const (
	PendingUser  UserStatus = "PENDING"
	ApprovedUser UserStatus = "APPROVED"
)

// UserStatuses are all of them.
var UserStatuses = enum.Of(PendingUser, ApprovedUser)
