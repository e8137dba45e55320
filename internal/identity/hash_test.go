package identity

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/uplinehq/upline/internal/platform/vault"
	"github.com/uplinehq/upline/internal/problem"
	"github.com/uplinehq/upline/internal/tenant"
)

// A hash is argon2id in PHC form, with the parameters it was made with; it says
// when these are no longer the current ones.
func TestHashesAreArgon2idInPHCForm(t *testing.T) {
	cheaper := currentCost
	currentCost = recommended
	defer func() { currentCost = cheaper }()
	h := newHasher()
	stored, err := h.hash(t.Context(), "correct horse")
	if err != nil || !strings.HasPrefix(stored, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Fatalf("%q %v", stored, err)
	}
	again, err := h.hash(t.Context(), "correct horse")
	if err != nil || again == stored {
		t.Errorf("two hashes of one password are equal: %v", err)
	}
	for password, want := range map[vault.Secret]bool{"correct horse": true, "correct horsf": false, "": false} {
		right, outdated, err := h.verify(t.Context(), stored, password)
		if err != nil || right != want || outdated {
			t.Errorf("right %v, outdated %v, %v; want %v", right, outdated, err, want)
		}
	}
	// "correct horse" with 8 MiB and one pass.
	cheap := cost{memory: 8 << 10, time: 1, threads: 1}
	current := currentCost
	currentCost = cheap
	older, err := h.hash(t.Context(), "correct horse")
	currentCost = current
	if err != nil {
		t.Fatal(err)
	}
	if right, outdated, err := h.verify(t.Context(), older, "correct horse"); err != nil || !right || !outdated {
		t.Errorf("a hash of other parameters: right %v, outdated %v, %v", right, outdated, err)
	}
	// The ways to write one letter are one password (NIST SP 800-63B-4 §3.1.1.2).
	composed, err := h.hash(t.Context(), "Zo\u00eb's bicycle")
	if err != nil {
		t.Fatal(err)
	}
	if right, _, err := h.verify(t.Context(), composed, "Zoe\u0308's bicycle"); err != nil || !right {
		t.Errorf("another form of the same letters: %v %v", right, err)
	}
	if _, _, _, err := parseHash(absent()); err != nil {
		t.Error(err)
	}
}

// What is stored of another kind, or damaged, is a fault whose text does not
// repeat it.
func TestDamagedHashes(t *testing.T) {
	for _, stored := range []string{"", "plain", "$2b$10$abcdefghijklmnopqrstuv", "$argon2i$v=19$m=8,t=1,p=1$AAAA$AAAA", "$argon2id$v=16$m=8,t=1,p=1$AAAA$AAAA",
		"$argon2id$v=19$m=8,t=0,p=1$AAAA$AAAA", "$argon2id$v=19$m=8,t=1,p=1$****$AAAA", "$argon2id$v=19$m=8,t=1,p=1$AAAA$", "$argon2id$v=19$nonsense$AAAA$AAAA"} {
		right, _, err := newHasher().verify(t.Context(), stored, "x")
		if right || err == nil {
			t.Errorf("%q: %v %v", stored, right, err)
		} else if len(stored) > 3 && strings.Contains(err.Error(), stored) {
			t.Errorf("the error repeats %q", stored)
		}
	}
}

// No more passwords are hashed at a time than there are slots; who waits stops
// waiting with the request.
func TestHashingIsBounded(t *testing.T) {
	h := newHasher()
	h.slots = make(chan struct{}, 1)
	h.slots <- struct{}{} // somebody hashes
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := h.hash(ctx, "correct horse"); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a second hash: %v", err)
	}
	<-h.slots
	if _, err := h.hash(t.Context(), "correct horse"); err != nil || len(h.slots) != 0 {
		t.Errorf("afterwards: %v, %d slots taken", err, len(h.slots))
	}
}

// No more requests wait for a hash than maxWaiting, nor of one tenant than its
// share, so that no tenant makes the others wait for its queue.
func TestWaitingForHashesIsBounded(t *testing.T) {
	h := newHasher()
	of := func(id int64) context.Context { return tenant.With(t.Context(), &tenant.Tenant{ID: id}) }
	for i := range maxWaiting {
		if err := h.enter(int64(i/maxWaitingOfTenant) + 1); err != nil {
			t.Fatalf("%d: %v", i, err)
		}
	}
	for _, id := range []int64{1, 99} {
		if _, err := h.hash(of(id), "correct horse"); !problem.Has(err, problem.UnavailableCode) || problem.From(err)[0].Category != problem.Unavailable {
			t.Errorf("tenant %d: %v", id, err)
		}
	}
	h.leave(1)
	if _, err := h.hash(of(99), "correct horse"); err != nil {
		t.Errorf("there is room again: %v", err)
	}
	for i := range maxWaiting - 1 {
		h.leave(int64((i+1)/maxWaitingOfTenant) + 1)
	}
	for range maxWaitingOfTenant {
		if err := h.enter(1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := h.hash(of(1), "correct horse"); !problem.Has(err, problem.UnavailableCode) {
		t.Errorf("a tenant above its share: %v", err)
	}
	if _, err := h.hash(of(2), "correct horse"); err != nil {
		t.Errorf("another one: %v", err)
	}
}

// What is compared with where there is no hash costs what a hash costs today.
func TestAbsentHashHasTheCurrentCost(t *testing.T) {
	if c, _, _, err := parseHash(absent()); err != nil || c != currentCost {
		t.Errorf("%+v %v", c, err)
	}
}

// Characters count after normalisation, at a sign-in as when the password is set:
// of 128 letters some have several code points, of up to 4 bytes.
func TestLongPasswordsSignIn(t *testing.T) {
	decomposed := vault.Secret(strings.Repeat("\u1100\u1161\u11a8", maxPasswordLength)) // 128 syllables in 9 bytes each
	if p := passwordProblem(decomposed, 8); p != nil {
		t.Fatal(p)
	}
	s := &entrance{hasher: newHasher()}
	stored, err := s.hasher.hash(t.Context(), decomposed)
	if err != nil {
		t.Fatal(err)
	}
	if right, _, err := s.verify(t.Context(), stored, decomposed); err != nil || !right {
		t.Errorf("%v %v", right, err)
	}
	if p := passwordProblem(vault.Secret(strings.Repeat("x", maxSent+1)), 8); p == nil || p.Code != problem.TooLong {
		t.Error(p)
	}
}

// "must meet the password policy" (User), as api "User record" has it: 8 to 128 characters
// unless the tenant asks for more, no common password, not the username or the
// e-mail address, and no rules about kinds of characters.
func TestPasswordPolicy(t *testing.T) {
	email := "Ana.Diaz@acme.example"
	for _, test := range []struct {
		password vault.Secret
		least    int
		code     problem.Code
	}{
		{"", 8, problem.Required}, {"qx7#plm", 8, problem.WeakPassword}, {"qx7#plmw", 8, ""}, {"qx7#plmw", 15, problem.WeakPassword},
		{"lowercase words only", 8, ""}, {"日本語のパスワード", 8, ""}, {"日本語", 8, problem.WeakPassword},
		{vault.Secret(strings.Repeat("qz", 64)), 8, ""}, {vault.Secret(strings.Repeat("qz", 64) + "q"), 8, problem.TooLong},
		{"password123", 8, problem.WeakPassword}, {"PassWord123", 8, problem.WeakPassword}, {"iloveyou", 8, problem.WeakPassword}, {"1234567890", 8, problem.WeakPassword},
		{"\xff\xfeabcdefgh", 8, problem.InvalidFormat}, {"abc\x00defghij", 8, problem.InvalidFormat},
	} {
		p := passwordProblem(test.password, test.least)
		if (p == nil) != (test.code == "") || p != nil && p.Code != test.code {
			t.Errorf("%q with at least %d: %v; want %q", test.password.Reveal(), test.least, p, test.code)
		}
	}
	for password, want := range map[vault.Secret]bool{"tulip-bucket": false, "my-adiaz-2026": true, "MY-ADIAZ-2026": true, "xxana.diazxx": true, "ana.diaz@acme.example": true, "ana-diaz-2026": false} {
		if p := personalProblem(password, "adiaz", &email); (p != nil) != want {
			t.Errorf("%q: %v; want refused: %v", password.Reveal(), p, want)
		}
	}
	short := "a@acme.example"
	if p := personalProblem("my-A@ACME.example-9", "someone", &short); p == nil {
		t.Error("the whole address, whose name is too short to count alone, may be in it")
	}
	if p := personalProblem("alabaster-9", "al", &short); p != nil {
		t.Errorf("a name of two letters is in too many words: %v", p)
	}
}

// The list is what its comment says.
func TestCommonPasswords(t *testing.T) {
	if n := len(commonPasswords()); n != 10_000 {
		t.Errorf("%d passwords", n)
	}
	for password := range commonPasswords() {
		if len(password) < 8 || password != strings.ToLower(password) {
			t.Errorf("%q", password)
		}
	}
}
