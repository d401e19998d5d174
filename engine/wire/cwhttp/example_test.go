package cwhttp_test

import (
	"fmt"
	"net/http/httptest"

	"endwise/engine/wire/cwhttp"
)

// A server is a handler; a game has two players.
func Example() {
	server, err := cwhttp.NewServer(cwhttp.ServerConfig{Board: "3x3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/reg/team01", "/reg/not%20a%20team", "/reg/team01"} {
		w := httptest.NewRecorder()
		server.ServeHTTP(w, httptest.NewRequest("GET", path, nil))
		fmt.Println(w.Body)
	}
	// Output:
	// {"response": "OK", "player": 1}
	// {"response": "ERROR", "error_code": 1}
	// {"response": "ERROR", "error_code": 2}
}
