package identity

import (
	_ "embed"
	"strconv"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/text"
)

// maxPasswordLength limits the work of a hash. It is well above the 64 characters that
// NIST SP 800-63B-4 §3.1.1.2 demands to allow.
const maxPasswordLength = 128

// minContained is the minimum length of a username, or of the name in an e-mail address,
// that a password must not contain: "al" is in too many words.
const minContained = 3

// commonPasswordsText holds one password a line, in lower case and sorted: the
// 10,000 most common ones of at least 8 characters in the list of
// @zxcvbn-ts/language-common 4.1.3. Shorter ones are refused for their length.
//
//go:embed common_passwords.txt
var commonPasswordsText string

var commonPasswords = sync.OnceValue(func() map[string]bool {
	all := map[string]bool{}
	for line := range strings.Lines(commonPasswordsText) {
		all[strings.TrimSpace(line)] = true
	}
	return all
})

// passwordProblem returns what is wrong with a new password, whoever it is for; nil for
// nothing. The policy is that of NIST SP 800-63B-4: a minimum length and a list of common
// passwords, no rules about kinds of characters.
func passwordProblem(password vault.Secret, least int) *problem.Error {
	if len(password) > maxSent {
		return tooLongPassword()
	}
	normal := normalised(password)
	switch n := utf8.RuneCountInString(normal); {
	case !text.Fit(password.Reveal()):
		return problem.Invalid(problem.InvalidFormat, "must be text", "password")
	case n == 0:
		return problem.Invalid(problem.Required, "is required", "password")
	case n < least:
		return problem.Invalid(problem.WeakPassword, "must have at least "+strconv.Itoa(least)+" characters", "password").With("min", least)
	case n > maxPasswordLength:
		return tooLongPassword()
	case commonPasswords()[strings.ToLower(normal)]:
		return problem.Invalid(problem.WeakPassword, "is one of the most common passwords", "password")
	}
	return nil
}

func tooLongPassword() *problem.Error {
	return problem.Invalid(problem.TooLong, "must not be longer than "+strconv.Itoa(maxPasswordLength)+" characters", "password").With("max", maxPasswordLength)
}

// personalProblem returns the problem of a password that contains the username, the
// e-mail address or the name in it ("not containing the username or e-mail", api "User
// record"), nil for none.
func personalProblem(password vault.Secret, username string, email *string) *problem.Error {
	text := folded(password.Reveal())
	names := []string{username}
	if email != nil {
		local, _, _ := strings.Cut(*email, "@")
		names = append(names, *email, local)
	}
	for _, name := range names {
		if key := searchKey(name); utf8.RuneCountInString(key) >= minContained && strings.Contains(text, key) {
			return problem.Invalid(problem.WeakPassword, "must not contain the username or the e-mail address", "password")
		}
	}
	return nil
}

// maxSent limits a password before it is looked at, in bytes. Characters are counted
// after normalisation, which can turn several code points into one.
const maxSent = 4 << 10
