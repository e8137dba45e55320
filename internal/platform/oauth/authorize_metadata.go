package oauth

import "slices"

// authorizeMetadata are the members of RFC 8414 §2, RFC 7636 §6.2 and RFC 9207 §3 about
// an authorization endpoint.
type authorizeMetadata struct {
	AuthorizationEndpoint string   `json:"authorization_endpoint,omitempty"`
	ResponseModes         []string `json:"response_modes_supported,omitempty"`
	ChallengeMethods      []string `json:"code_challenge_methods_supported,omitempty"`
	// NamesIssuer says that answers have iss.
	NamesIssuer bool `json:"authorization_response_iss_parameter_supported,omitempty"`
}

// openIDMetadata are the members that OpenID Connect Discovery §3 and RP-Initiated Logout
// §2.1 add.
type openIDMetadata struct {
	UserInfoEndpoint   string   `json:"userinfo_endpoint,omitempty"`
	EndSessionEndpoint string   `json:"end_session_endpoint,omitempty"`
	SubjectTypes       []string `json:"subject_types_supported,omitempty"`
	IDTokenAlgorithms  []string `json:"id_token_signing_alg_values_supported,omitempty"`
	Claims             []string `json:"claims_supported,omitempty"`
	Prompts            []string `json:"prompt_values_supported,omitempty"`
	// TakesRequestURI is always present, since its default is true.
	TakesRequestURI *bool `json:"request_uri_parameter_supported,omitempty"`
}

// describePeople adds to the metadata what concerns people who sign in.
func (i *Issuer) describePeople(m *metadata) {
	if i.people == nil {
		return
	}
	m.ResponseTypes = []string{"code"}
	m.GrantTypes = append(m.GrantTypes, grantAuthorizationCode, grantRefreshToken)
	m.AuthMethods = append(slices.Clone(m.AuthMethods), "none")
	m.authorizeMetadata = authorizeMetadata{AuthorizationEndpoint: i.config.Issuer + AuthorizePath, ResponseModes: []string{"query"},
		ChallengeMethods: []string{"S256"}, NamesIssuer: true}
	m.Scopes = append(m.Scopes, openIDScopes...)
	m.openIDMetadata = openIDMetadata{EndSessionEndpoint: i.config.Issuer + SignOutPath, SubjectTypes: []string{"public"}, IDTokenAlgorithms: []string{idTokenAlgorithm},
		Claims: claimsSupported, Prompts: prompts, TakesRequestURI: new(false)}
	if i.tokens != nil {
		m.UserInfoEndpoint = i.config.Issuer + UserInfoPath
	}
}
