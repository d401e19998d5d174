package book_test

import (
	"endwise/book"
	cwbook "endwise/book/circuitwars"
	dabbook "endwise/book/dotsandboxes"
	wybbook "endwise/book/watchyourback"
)

// allGames are the games that have sources.
var allGames = book.Games{cwbook.Game(), dabbook.Game(), wybbook.Game()}
