package cwbot_test

import (
	"context"
	"fmt"
	"net/http/httptest"
	"time"

	"endwise/engine/enginetest"
	"endwise/engine/wire/cwbot"
	"endwise/engine/wire/cwhttp"
)

// Two bots play on a server; the second one closes the only square.
func Example() {
	server, err := cwhttp.NewServer(cwhttp.ServerConfig{Board: "1x1"})
	if err != nil {
		fmt.Println(err)
		return
	}
	web := httptest.NewServer(server)
	defer web.Close()
	ended := make(chan string)
	for _, team := range []string{"one", "two"} {
		go func() {
			client, err := cwbot.NewClient(web.URL)
			if err != nil {
				ended <- err.Error()
				return
			}
			client.Interval = time.Millisecond
			out, err := (&cwbot.Bot{Client: client, Team: team, Player: enginetest.First}).Play(context.Background())
			ended <- fmt.Sprint(out.Winner(), err)
		}()
	}
	fmt.Println(<-ended)
	fmt.Println(<-ended)
	// Output:
	// player 2 <nil>
	// player 2 <nil>
}
