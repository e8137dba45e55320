package oauth

import (
	"net/url"
	"strings"
	"testing"
)

// RFC 6749 §3.1.2, RFC 8252 §7.1, §7.3, §8.4: which redirect URIs can be
// registered.
func TestRFC6749_3_1_2_RedirectURIs(t *testing.T) {
	for _, uri := range []string{"https://app.example/cb", "https://app.example", "https://app.example/cb?a=b", "http://127.0.0.1/cb", "http://127.0.0.1:5000/cb", "http://[::1]/cb",
		"http://localhost:3000/cb", "com.example.app:/cb"} {
		if text := RedirectProblem(uri); text != "" {
			t.Errorf("%s: %s", uri, text)
		}
	}
	for _, uri := range []string{"", "/cb", "//app.example/cb", "http://app.example/cb", "https://app.example/cb#", "https://app.example/#x", "https://u@app.example/cb", "https://*.app.example/cb",
		"myapp:/cb", "javascript:alert(1)", "data:text/html,x", "com.example.app:opaque", "https:///cb", "https://app.example/a b", "https://app.example/ü", "http://127.0.0.1.evil.example/cb",
		"https://app.example/" + strings.Repeat("x", 500)} {
		if RedirectProblem(uri) == "" {
			t.Errorf("%q can be registered", uri)
		}
	}
}

// RFC 8252 §7.3: "The authorization server MUST allow any port to be specified at
// the time of the request for loopback IP redirect URIs".
func TestRFC8252_7_3_AnyPortOnLoopback(t *testing.T) {
	c := Client{RedirectURIs: []string{"http://127.0.0.1/cb?x=1", "http://[::1]:9/cb", "http://localhost:3000/cb", "https://app.example/cb", "http://10.0.0.1/cb"}}
	for uri, want := range map[string]bool{
		"http://127.0.0.1/cb?x=1": true, "http://127.0.0.1:5000/cb?x=1": true, "http://[::1]/cb": true, "http://[::1]:65535/cb": true, "http://localhost:3000/cb": true, "https://app.example/cb": true,
		"http://127.0.0.1:5000/cb": false, "http://127.0.0.1:5000/cb?x=1&y=2": false, "http://127.0.0.1:5000/CB?x=1": false, "http://127.0.0.2:5000/cb?x=1": false, "http://localhost:3001/cb": false,
		"https://app.example:8443/cb": false, "https://app.example/cb/evil": false, "https://app.example/cb?evil": false, "http://127.0.0.1:5000@evil.example/cb?x=1": false, "http://evil@127.0.0.1:5000/cb?x=1": false, "http://127.0.0.1:5000/cb?x=1#f": false, "HTTP://127.0.0.1/cb?x=1": false, "": false,
		"http://10.0.0.1:5000/cb": false, "http://127.0.0.1:5000/%zz": false,
	} {
		if got := c.registered(uri); got != want {
			t.Errorf("%q: %t", uri, got)
		}
	}
}

// RFC 6749 §4.1.2: the answer is added to the query of the redirect URI, "which MUST
// be retained" (§3.1.2).
func TestRFC6749_3_1_2_QueryIsRetained(t *testing.T) {
	for uri, want := range map[string]string{"https://a.example/cb?k=1&k=2": "https://a.example/cb?k=1&k=2&code=x", "com.example.app:/cb": "com.example.app:/cb?code=x", "https://a.example": "https://a.example?code=x"} {
		if got := withAnswer(uri, url.Values{"code": {"x"}}); got != want {
			t.Errorf("%s: %s", uri, got)
		}
	}
}

// RFC 7636 §4.1 and appendix B.
func TestRFC7636_4_6_Verifier(t *testing.T) {
	const proof, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	if !verifies(proof, challenge) {
		t.Error("the example of the RFC is refused")
	}
	for _, wrong := range []string{"", challenge, proof[1:], proof + "=", proof[:42] + "+", strings.Repeat("x", 129)} {
		if verifies(wrong, challenge) {
			t.Errorf("%q is accepted", wrong)
		}
	}
}
