package book

import (
	"encoding/json"
	"fmt"
)

// JobVersion returns a text for the versions on which the result of a job depends: of the rules, of the
// solver, and of the form of the payload and the result.
func JobVersion(rules, solver, form int) string {
	return fmt.Sprintf("rules %d, solver %d, form %d", rules, solver, form)
}

// ReadPayload decodes the payload of a job that WritePayload encoded.
func ReadPayload(payload []byte, into any) error {
	if err := json.Unmarshal(payload, into); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	return nil
}

// WritePayload encodes v, a plain struct, as the payload of a job.
func WritePayload(v any) []byte {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
