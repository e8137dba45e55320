package oauth

// authorizeMetadata is what RFC 8414 §2, RFC 7636 §6.2 and RFC 9207 §3 say of an
// authorization endpoint.
type authorizeMetadata struct {
	AuthorizationEndpoint string   `json:"authorization_endpoint,omitempty"`
	ResponseModes         []string `json:"response_modes_supported,omitempty"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported,omitempty"`
	// NamesIssuer tells that iss is in the answers.
	NamesIssuer bool `json:"authorization_response_iss_parameter_supported,omitempty"`
}

// describePeople adds to the metadata what people can do.
func (i *Issuer) describePeople(m *metadata) {
	if i.people == nil {
		return
	}
	m.ResponseTypes = []string{"code"}
	m.GrantTypes = append(m.GrantTypes, grantAuthorizationCode, grantRefreshToken)
	m.AuthMethods = append(m.AuthMethods, "none")
	m.authorizeMetadata = authorizeMetadata{AuthorizationEndpoint: i.config.Issuer + AuthorizePath, ResponseModes: []string{"query"},
		ChallengeMethods: []string{"S256"}, NamesIssuer: true}
}
