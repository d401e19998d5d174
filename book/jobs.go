package book

import (
	"encoding/json"
	"fmt"
)

// A solve hands its shards to a farm.Farm, of this process or of others. Any
// process can carry the jobs out that knows Games.JobKinds; none needs a store.

// JobVersion writes all that a result depends on into one text.
func JobVersion(rules, solver, form int) string {
	return fmt.Sprintf("rules %d, solver %d, form %d", rules, solver, form)
}

// ReadPayload decodes a job's payload.
func ReadPayload(payload []byte, into any) error {
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	return nil
}

// WritePayload encodes a job's payload.
func WritePayload(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // payloads are plain structs
	}
	return data
}
