package tenant

import "github.com/uplinehq/upline/internal/enum"

// UserStatus says whether a user can sign in. It is declared here, below the area of
// users, because a tenant has the status of its new users.
type UserStatus string

// "Pending (created, awaiting approval; cannot sign in), Approved (active; can
// sign in)" (User statuses).
const (
	PendingUser  UserStatus = "PENDING"
	ApprovedUser UserStatus = "APPROVED"
)

// UserStatuses are all statuses of users.
var UserStatuses = enum.Of(PendingUser, ApprovedUser)
