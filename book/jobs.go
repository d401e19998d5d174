package book

import (
	"encoding/json"
	"fmt"
)

// A solve hands its shards (parts of a table) to a [farm.Farm] in this process or in
// others. A process can do these jobs if it has the kinds of [Games.JobKinds]; it needs no
// store.

// JobVersion returns a text that contains every version a job's result depends on.
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
