package book

// allGames are the games with sources of their own.
var allGames = Games{CircuitWarsGame(), DotsAndBoxesGame(), WatchYourBackGame()}
