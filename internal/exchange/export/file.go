package export

import (
	"context"
	"fmt"

	"github.com/uplinehq/upline/internal/platform/store"
	"github.com/uplinehq/upline/internal/problem"
)

// chunkSize is how much of a file is stored in a row, in bytes.
const chunkSize = 256 << 10

// file stores what is written to it in chunks. finish stores the last, shorter one.
type file struct {
	ctx    context.Context // of the run: an io.Writer gets none
	run    *run
	buffer []byte
	chunks int
	size   int64
}

// Write implements io.Writer.
func (f *file) Write(p []byte) (int, error) {
	if f.size += int64(len(p)); f.size > f.run.Bytes {
		return 0, tooMuch(fmt.Sprintf("the file would have more than %d bytes, the most that this server writes", f.run.Bytes))
	}
	for rest := p; len(rest) > 0; {
		n := min(len(rest), chunkSize-len(f.buffer))
		f.buffer, rest = append(f.buffer, rest[:n]...), rest[n:]
		if len(f.buffer) == chunkSize {
			if err := f.store(); err != nil {
				return 0, err
			}
		}
	}
	return len(p), nil
}

// store stores a chunk. Only the holder of the claim may.
func (f *file) store() error {
	sealed, err := f.seal()
	if err != nil {
		return err
	}
	f.run.stored.Add(chunkSize)
	err = f.run.Store.InTx(f.ctx, func(ctx context.Context, tx *store.Tx) error {
		if err := f.run.hold(ctx, tx); err != nil {
			return err
		}
		if err := f.insert(ctx, tx, sealed); err != nil {
			return err
		}
		return f.run.fits(ctx, tx)
	})
	if err != nil {
		return err
	}
	f.chunks, f.buffer = f.chunks+1, f.buffer[:0]
	f.run.passed(fmt.Sprintf("chunk %d", f.chunks))
	return nil
}

func (f *file) seal() ([]byte, error) {
	return f.run.Vault.Encrypt(f.ctx, chunkField(f.run.tenant.ID, f.run.export.UID, f.chunks), string(f.buffer))
}

func (f *file) insert(ctx context.Context, tx *store.Tx, sealed []byte) error {
	_, err := tx.Exec(ctx, "INSERT INTO export_chunk (tenant_id, export_id, number, data) VALUES ($1, $2, $3, $4)", f.run.tenant.ID, f.run.export.ID, f.chunks, sealed)
	return err
}

func tooMuch(message string) error {
	return problem.Invalid(problem.OutOfRange, message+": filter what is exported")
}
