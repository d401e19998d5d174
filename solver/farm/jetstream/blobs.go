package jetstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"endwise/engine"
	"endwise/solver/farm"
)

// putBlob stores bytes under a name that they alone have, unless they are
// there.
func putBlob(ctx context.Context, js jetstream.JetStream, name string, data []byte) error {
	return retry(ctx, blobLimit(len(data)), func(ctx context.Context) error {
		bucket, err := js.ObjectStore(ctx, bucketName)
		if err != nil {
			return err
		}
		if info, err := bucket.GetInfo(ctx, name); err == nil && info.Size == uint64(len(data)) {
			return nil
		}
		_, err = bucket.PutBytes(ctx, name, data)
		return err
	})
}

// blobAttempts is how often bytes are looked for that are not there, or are
// wrong: they may be about to be stored again, for instance because the server
// came back without its disk.
var blobAttempts = 100 // fewer in tests

// getBlob fetches the bytes with a name and a digest.
func getBlob(ctx context.Context, js jetstream.JetStream, name string, d farm.Digest) ([]byte, error) {
	for n := 1; ; n++ {
		data, err := readBlob(ctx, js, name)
		if err == nil && farm.DigestOf(data) == d {
			return data, nil
		}
		if err == nil {
			err = errors.New("they have another digest")
		}
		if n == blobAttempts && ctx.Err() == nil {
			return nil, fmt.Errorf("%s: %w: %v", d.Short(), farm.ErrNoBlob, err)
		}
		if engine.Pause(ctx, retryEvery) != nil {
			return nil, context.Cause(ctx)
		}
	}
}

// readBlob is one attempt to fetch bytes.
func readBlob(ctx context.Context, js jetstream.JetStream, name string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, blobLimit(maxBlob/8))
	defer cancel()
	bucket, err := js.ObjectStore(ctx, bucketName)
	if err != nil {
		return nil, err
	}
	r, err := bucket.Get(ctx, name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxBlob+1))
	if err == nil && len(data) > maxBlob {
		err = fmt.Errorf("longer than %d bytes", maxBlob)
	}
	return data, err
}

// blobLimit is how long one attempt to move so many bytes may take: a slow
// line moves 1 MB a second.
func blobLimit(size int) time.Duration { return 2*askLimit + time.Duration(size>>20)*time.Second }
