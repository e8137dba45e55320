package oauth

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"strings"
)

//go:embed page
var pageFiles embed.FS

// pageStyle is the only style sheet. The policy allows it by its hash; the page loads and
// runs nothing else.
var pageStyle = func() string {
	style, err := pageFiles.ReadFile("page/page.css")
	if err != nil {
		panic(err) // it is embedded
	}
	return string(style)
}()

var pages = template.Must(template.New("").Funcs(template.FuncMap{"style": func() template.CSS { return template.CSS(pageStyle) }}).ParseFS(pageFiles, "page/*.html"))

// contentSecurityPolicy lets a browser only show the page and send its form. Browsers
// also apply form-action to redirects after a form, so it includes the client's origin.
func contentSecurityPolicy(redirect string) string {
	hash := sha256.Sum256([]byte(pageStyle))
	policy := "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(hash[:]) + "'; base-uri 'none'; frame-ancestors 'none'; form-action 'self'"
	if u, err := url.Parse(redirect); err == nil && redirect != "" {
		if policy += " " + u.Scheme + ":"; u.Scheme == "https" || u.Scheme == "http" {
			policy += "//" + u.Host
		}
	}
	return policy
}

// securePage sets the headers of all pages for people. The referrer policy is
// same-origin: with no-referrer, browsers would send forms with the origin null.
func securePage(w http.ResponseWriter, redirect string) {
	h := w.Header()
	h.Set("Content-Security-Policy", contentSecurityPolicy(redirect))
	h.Set("Cache-Control", "no-store")
	h.Set("Pragma", "no-cache")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Referrer-Policy", "same-origin")
}

// signInPage is the content of the sign-in page. It shows neither the username nor the
// password again: RFC 6749 does not require it, and a person may have typed one in place
// of the other.
type signInPage struct {
	Client, Tenant string
	// AskTenant is set if no client determines the tenant.
	AskTenant bool
	// Accounts are those with a button to sign in.
	Accounts []Account
	Ways     Ways
	Problem  string
	Action   string
	Token    string

	redirect string
}

func (p *signInPage) says(problem string) *signInPage {
	p.Problem = problem
	return p
}

// showSignIn shows the sign-in page. The browser gets a secret with which it proves that
// it was served the form.
func (i *Issuer) showSignIn(w http.ResponseWriter, r *http.Request, page *signInPage, status int) {
	p := i.people
	if err := i.offer(r, page); err != nil {
		i.refusePage(w, r, err)
		return
	}
	secret := p.cookies.read(r, formCookie)
	if secret == "" {
		secret = NewSecret()
		p.cookies.set(w, formCookie, secret, 0)
	}
	page.Token, page.Action = p.formToken(signInPurpose, secret), action(r)
	i.render(w, r, status, "sign-in", page, page.redirect)
}

// showContinue asks somebody who is signed in before a program on their machine
// gets a code: RFC 8252 §8.6, "the authorization server SHOULD NOT process
// authorization requests automatically without user consent or interaction".
func (i *Issuer) showContinue(w http.ResponseWriter, r *http.Request, a *authorization, person Person) {
	i.render(w, r, http.StatusOK, "continue", map[string]string{"Client": a.client.ID, "Username": person.Username, "Action": action(r),
		"Token": i.people.formToken(continuePurpose, i.people.cookies.read(r, sessionCookie))}, a.redirect)
}

// action is the address of the page itself, with its query.
func action(r *http.Request) string {
	return "./" + r.URL.Path[strings.LastIndex(r.URL.Path, "/")+1:] + "?" + r.URL.Query().Encode()
}

// refusePage shows a refusal that is not sent to the client.
func (i *Issuer) refusePage(w http.ResponseWriter, r *http.Request, err error) {
	status, text := http.StatusInternalServerError, "The server could not answer. Please try again."
	var refused *pageError
	if errors.As(err, &refused) {
		status, text = http.StatusBadRequest, refused.text
	} else {
		i.log.ErrorContext(r.Context(), "cannot show a page", "error", err)
	}
	i.render(w, r, status, "refused", text, "")
}

// render writes a whole page, or an error.
func (i *Issuer) render(w http.ResponseWriter, r *http.Request, status int, name string, data any, redirect string) {
	var page bytes.Buffer
	if err := pages.ExecuteTemplate(&page, name, data); err != nil {
		i.log.ErrorContext(r.Context(), "cannot write a page", "error", err)
		http.Error(w, "The server could not answer.", http.StatusInternalServerError)
		return
	}
	securePage(w, redirect)
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_, _ = page.WriteTo(w) // this fails only if the browser has left
}
