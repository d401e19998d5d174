package cwbot_test

import (
	"context"
	"fmt"
	"net"

	"endwise/engine/wire/cwbot"
	"endwise/engine/wire/cwhttp"
)

// A client registers as the first player.
func ExampleClient() {
	server, err := cwhttp.NewServer(cwhttp.ServerConfig{Board: "3x3"})
	if err != nil {
		fmt.Println(err)
		return
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		return
	}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	ended := make(chan error)
	go func() { ended <- server.Serve(ctx, listener) }()
	client, err := cwbot.NewClient(listener.Addr().String())
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(client.Register(ctx, "team01"))
	_, err = client.Register(ctx, "not a team!")
	fmt.Println(err)
	stop()
	fmt.Println(<-ended)
	// Output:
	// player 1 <nil>
	// registration refused: error 1, the server does not take this team id; usually 1 to 25 letters, digits, - or _ are allowed
	// <nil>
}
