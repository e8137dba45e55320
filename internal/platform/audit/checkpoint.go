package audit

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"

	"github.com/uplinehq/upline/internal/tenant"
)

// tree is the Merkle tree of RFC 6962 §2.1 over the entries of a trail.
type tree struct {
	size   int64
	hashes []tlog.Hash
	// record is the entry that was asked for.
	record []byte
}

// ReadHashes implements tlog.HashReader.
func (t *tree) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	all := make([]tlog.Hash, len(indexes))
	for i, at := range indexes {
		all[i] = t.hashes[at]
	}
	return all, nil
}

// record returns what a leaf of the tree hashes. Checkpoints that were handed out hold it
// for ever: a new field of an entry must be left out where it is empty. The hash of the
// chain keeps a leaf from being guessed.
func (r *Row) record() ([]byte, error) {
	r.At = r.At.UTC()
	return json.Marshal(struct {
		Seq int64 `json:"seq"`
		*Row
		Hash string `json:"hash"`
	}{r.Seq, r, fmt.Sprintf("%x", r.hash)})
}

// proving signs checkpoints of trails, and proves what is in them. It is safe for
// concurrent use.
type proving struct{ *chain }

// tree reads the whole trail. It keeps the record of one entry; 0 for none.
func (t *proving) tree(ctx context.Context, wanted int64) (*tree, error) {
	tenantID, err := tenant.ID(ctx)
	if err != nil {
		return nil, err
	}
	if err := t.Link(ctx); err != nil {
		return nil, err
	}
	all := new(tree)
	for {
		page, err := t.rows(ctx, tenantID, all.size, math.MaxInt64)
		if err != nil || len(page) == 0 {
			return all, err
		}
		for _, r := range page {
			if r.Seq != all.size+1 {
				return nil, fmt.Errorf("audit: entry %d is missing: see what upline audit verify says", all.size+1)
			}
			record, err := r.record()
			if err != nil {
				return nil, err
			}
			hashes, err := tlog.StoredHashes(all.size, record, all)
			if err != nil {
				return nil, err
			}
			all.hashes, all.size = append(all.hashes, hashes...), r.Seq
			if r.Seq == wanted {
				all.record = record
			}
		}
	}
}

// signer signs the checkpoints of a tenant. Its key is derived from the tenant's, so there
// is none to keep, and it stays when keys are rotated.
type signer struct {
	note.Verifier
	public string
	key    ed25519.PrivateKey
}

// Sign implements note.Signer.
func (s signer) Sign(message []byte) ([]byte, error) { return ed25519.Sign(s.key, message), nil }

func (t *proving) signer(ctx context.Context) (s signer, err error) {
	of := tenant.From(ctx)
	if err := t.vault.Prepare(ctx, of.ID); err != nil {
		return s, err
	}
	seed, err := t.vault.MAC(ctx, of.ID, "audit checkpoint key", nil)
	if err != nil {
		return s, err
	}
	s.key = ed25519.NewKeyFromSeed(seed)
	if s.public, err = note.NewEd25519VerifierKey("upline/audit/"+of.Identifier, s.key.Public().(ed25519.PublicKey)); err != nil {
		return s, err
	}
	s.Verifier, err = note.NewVerifier(s.public)
	return s, err
}

// VerifierKey returns the public key of the tenant's checkpoints, as package note writes it.
func (t *proving) VerifierKey(ctx context.Context) (string, error) {
	s, err := t.signer(ctx)
	return s.public, err
}

// Checkpoint returns a signed note (c2sp.org/tlog-checkpoint) of the tenant's trail: how
// many entries it has, and the hash of them all.
func (t *proving) Checkpoint(ctx context.Context) ([]byte, error) {
	all, err := t.tree(ctx, 0)
	if err != nil {
		return nil, err
	}
	return t.sign(ctx, all)
}

func (t *proving) sign(ctx context.Context, all *tree) ([]byte, error) {
	s, err := t.signer(ctx)
	if err != nil {
		return nil, err
	}
	root, err := tlog.TreeHash(all.size, all)
	if err != nil {
		return nil, err
	}
	return note.Sign(&note.Note{Text: fmt.Sprintf("%s\n%d\n%s\n", s.Name(), all.size, root)}, s)
}

// The first lines of proofs: of one entry (c2sp.org/tlog-proof), and of a trail that goes on
// from an earlier checkpoint (the request of c2sp.org/tlog-witness).
const (
	entryProof = "c2sp.org/tlog-proof@v1"
	trailProof = "old "
)

// ProveEntry returns the entry with a number, and the proof that the trail of a checkpoint of
// now holds it.
func (t *proving) ProveEntry(ctx context.Context, seq int64) ([]byte, error) {
	all, err := t.tree(ctx, seq)
	if err != nil {
		return nil, err
	}
	if all.record == nil {
		return nil, fmt.Errorf("audit: there is no entry %d; the newest one is %d", seq, all.size)
	}
	proof, err := tlog.ProveRecord(all.size, seq-1, all)
	if err != nil {
		return nil, err
	}
	head := fmt.Sprintf("%s\nextra %s\nindex %d\n", entryProof, base64.StdEncoding.EncodeToString(all.record), seq-1)
	return t.proof(ctx, all, head, proof)
}

// ProveSince returns the proof that the trail goes on from an earlier checkpoint of it. It
// returns an error if it does not: then it was rewritten.
func (t *proving) ProveSince(ctx context.Context, earlier []byte) ([]byte, error) {
	key, err := t.VerifierKey(ctx)
	if err != nil {
		return nil, err
	}
	old, err := openCheckpoint(earlier, key)
	if err != nil {
		return nil, err
	}
	all, err := t.tree(ctx, 0)
	if err != nil {
		return nil, err
	}
	if was, err := tlog.TreeHash(min(old.N, all.size), all); err != nil || old.N > all.size || was != old.Hash {
		return nil, errors.Join(ErrRewritten, err)
	}
	var proof tlog.TreeProof
	if old.N > 0 {
		if proof, err = tlog.ProveTree(all.size, old.N, all); err != nil {
			return nil, err
		}
	}
	return t.proof(ctx, all, trailProof+strconv.FormatInt(old.N, 10)+"\n", proof)
}

// ErrRewritten is the error of a trail that is not the one of an earlier checkpoint.
var ErrRewritten = errors.New("audit: the trail was rewritten or cut since the checkpoint: its entries are others")

func (t *proving) proof(ctx context.Context, all *tree, head string, hashes []tlog.Hash) ([]byte, error) {
	checkpoint, err := t.sign(ctx, all)
	if err != nil {
		return nil, err
	}
	for _, h := range hashes {
		head += h.String() + "\n"
	}
	return append([]byte(head+"\n"), checkpoint...), nil
}

// openCheckpoint returns the size and the hash that a checkpoint states.
func openCheckpoint(text []byte, key string) (at tlog.Tree, err error) {
	verifier, err := note.NewVerifier(strings.TrimSpace(key))
	if err != nil {
		return at, fmt.Errorf("audit: the key: %w", err)
	}
	opened, err := note.Open(text, note.VerifierList(verifier))
	if err != nil {
		return at, fmt.Errorf("audit: the checkpoint: %w", err)
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) < 4 || lines[0] != verifier.Name() {
		return at, errors.New("audit: the checkpoint is not one of this trail")
	}
	at.N, err = strconv.ParseInt(lines[1], 10, 64)
	if err == nil {
		at.Hash, err = tlog.ParseHash(lines[2])
	}
	return at, err
}

// Proven is what a proof shows.
type Proven struct {
	// Entries is how many entries the trail of the proof's checkpoint has.
	Entries int64
	// Since is how many it had at the earlier checkpoint from which it goes on.
	Since int64
	// Entry is the entry that it holds, in JSON; empty for a proof of the whole trail.
	Entry string
}

// CheckProof checks what ProveEntry or ProveSince returned, with the public key alone.
// earlier is the checkpoint that the proof begins with; it is not read for an entry.
func CheckProof(proof []byte, key string, earlier []byte) (p Proven, err error) {
	head, checkpoint, _ := strings.Cut(string(proof), "\n\n")
	now, err := openCheckpoint([]byte(checkpoint), key)
	if err != nil {
		return p, err
	}
	p.Entries = now.N
	lines := strings.Split(head, "\n")
	if number, ok := strings.CutPrefix(lines[0], trailProof); ok {
		if earlier == nil {
			return p, errors.New("audit: the proof needs the earlier checkpoint")
		}
		old, err := openCheckpoint(earlier, key)
		if err != nil {
			return p, err
		}
		hashes, err := parseHashes(lines[1:])
		if err != nil || number != strconv.FormatInt(old.N, 10) {
			return p, errors.Join(errors.New("audit: the proof begins with another checkpoint"), err)
		}
		if p.Since = old.N; old.N == 0 {
			return p, nil // every trail goes on from an empty one
		}
		return p, notProven(tlog.CheckTree(hashes, now.N, now.Hash, old.N, old.Hash))
	}
	if lines[0] != entryProof || len(lines) < 3 {
		return p, errors.New("audit: this is no proof of a trail")
	}
	record, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	index, err2 := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	hashes, err3 := parseHashes(lines[3:])
	if err := errors.Join(err, err2, err3); err != nil {
		return p, fmt.Errorf("audit: the proof: %w", err)
	}
	p.Entry = string(record)
	return p, notProven(tlog.CheckRecord(hashes, now.N, now.Hash, index, tlog.RecordHash(record)))
}

func notProven(err error) error {
	if err != nil {
		return fmt.Errorf("audit: the proof does not hold: %w", err)
	}
	return nil
}

func parseHashes(lines []string) (all []tlog.Hash, err error) {
	for _, line := range lines {
		h, err := tlog.ParseHash(line)
		if err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}
