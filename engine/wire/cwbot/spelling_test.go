package cwbot

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"endwise/engine/circuitwars"
	"endwise/engine/enginetest"
	"endwise/engine/testenv"
	"endwise/engine/wire/cwhttp"
	"endwise/engine/wire/wiretest"
)

// respelling passes on a server's answers in other spellings, without the fields that no
// move needs, and sometimes compressed.
func respelling(t *testing.T, h http.Handler, seed uint64) http.Handler {
	rng, mu := rand.New(rand.NewPCG(seed, 0)), new(sync.Mutex)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		rec := httptest.NewRecorder()
		h.ServeHTTP(rec, r)
		body := rec.Body.Bytes()
		if !bytes.HasPrefix(body, []byte("{")) {
			w.Header().Set("Location", rec.Header().Get("Location"))
			w.WriteHeader(rec.Code)
			_, _ = w.Write(body)
			return
		}
		mu.Lock()
		defer mu.Unlock()
		body = wiretest.Respelled(t, rng, body, []string{"status_code", "board", "player", "error_code"}, nil)
		var packed io.WriteCloser
		switch rng.IntN(3) {
		case 0:
			w.Header().Set("Content-Encoding", "gzip")
			packed = gzip.NewWriter(w)
		case 1:
			w.Header().Set("Content-Encoding", "deflate")
			packed = zlib.NewWriter(w)
		default:
			_, _ = w.Write(body)
			return
		}
		_, _ = packed.Write(body)
		testenv.OK(t, packed.Close())
	})
}

// Spellings of numbers, missing, odd or additional fields, byte-order marks and compression
// change no move.
func TestSpellingsChangeNoMove(t *testing.T) {
	var want []string
	for seed := range uint64(20) {
		synctest.Test(t, func(t *testing.T) {
			s := newServer(t, cwhttp.ServerConfig{Board: "3x3", Timeout: 3 * time.Second})
			var paths [2][]string
			var wg sync.WaitGroup
			for i := range 2 {
				h := http.Handler(s)
				if seed > 0 {
					h = respelling(t, s, seed)
				}
				client, w := wired(t, h)
				bot := Bot{Client: client, Team: string(rune('a' + i)), Player: enginetest.PlayerFunc(enginetest.First)}
				wg.Go(func() {
					time.Sleep(time.Duration(i) * time.Second)
					out, err := bot.Play(t.Context())
					if err != nil || int(out.Side) != i+1 {
						t.Errorf("seed %d, player %d: %v, %v", seed, i+1, out, err)
					}
					paths[i] = slices.DeleteFunc(w.paths, func(p string) bool { return !strings.HasPrefix(p, "/move/") })
				})
			}
			wg.Wait()
			if got := slices.Concat(paths[0], paths[1]); seed == 0 {
				want = got
			} else if !slices.Equal(got, want) {
				t.Errorf("seed %d: moves %v, want %v", seed, got, want)
			}
		})
	}
	if len(want) < 12 {
		t.Errorf("only %d moves: %v", len(want), want)
	}
}

// A status with one odd field, as real servers write it, is accepted.
func TestOddStatuses(t *testing.T) {
	const plain = `{"status_code": 201, "score_1": 0, "score_2": 0, "board_size": 1, "board": [[1, 0]], "time_left": 2500, "last_move": "0,0,top"}`
	for _, c := range [][2]string{
		{"201", `"201"`}, {`_1": 0`, `_1": 0.0`}, {"[[1, 0]]", "[[1.0, 0.0]]"}, {"[[1, 0]]", `[["1", " 0 "]]`},
		{`size": 1`, `size": "1"`}, {`size": 1`, `size": 9`}, {"2500", `"2500"`}, {"2500", "null"}, {"2500", "2500.4"}, {"2500", "Infinity"},
		{`"0,0,top"`, "null"}, {`"0,0,top"`, "7"}, {`"0,0,top"`, `"?"`}, {`"score_1": 0, `, ""}, {`_2": 0`, `_2": 5`}, {"{", "\xef\xbb\xbf{"},
	} {
		text := strings.Replace(plain, c[0], c[1], 1)
		client := wiredClient(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, text) })
		st, _, err := client.Status(t.Context())
		if err != nil || st.Code != circuitwars.TurnOf1 || st.Position.Drawn().Len() != 1 {
			t.Errorf("%s: %v, %v", text, st, err)
		}
	}
}
