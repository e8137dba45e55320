package paths

// The records of Identity Management. The specification shows no fields of answers
// "beyond those above", so the records have the properties of the requests and the
// stamps, but never the password.
var (
	user = Shape{Name: "User", Key: "username", Unkept: []string{"password"}}
	role = Shape{Name: "Role"}
)

// identityPages: the sizes are the same for every tenant ("Paging defaults and
// maximums of Identity Management …: not shown", specification, Limits).
var identityPages = Paging{Index: "pageIndex", Usual: 50, Most: 100}

// identityRoutes are the paths of "Identity Management".
var identityRoutes = []Route{
	{get, "/roles", "identity/roles", Listed, role},
	{get, "/users", "identity/users", Listed, user},
	{get, "/users/{username}", "identity/user", Found, user},
	{post, "/users", "identity/userCreate", Created, user},
	{patch, "/users/{username}", "identity/userUpdate", Changed, user},
}
