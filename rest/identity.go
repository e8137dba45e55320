package rest

// The records of Identity Management. The specification shows no fields of answers
// "beyond those above", so the records have the properties of the requests and the
// stamps, but never the password.
var (
	user = shape{name: "User", key: "username", unkept: []string{"password"}}
	role = shape{name: "Role"}
)

// identityPages: the sizes are the same for every tenant ("Paging defaults and
// maximums of Identity Management …: not shown", specification, Limits).
var identityPages = paging{index: "pageIndex", usual: 50, most: 100}

// identityRoutes are the paths of "Identity Management".
var identityRoutes = []route{
	{get, "/roles", "identity/roles", listed, role},
	{get, "/users", "identity/users", listed, user},
	{get, "/users/{username}", "identity/user", found, user},
	{post, "/users", "identity/userCreate", created, user},
	{patch, "/users/{username}", "identity/userUpdate", changed, user},
}
