package watchyourback

import (
	"context"
	"fmt"

	"endwise/cmd/endwise/cli"
	"endwise/engine/watchyourback"
	"endwise/solver/watchyourback/search"
	"endwise/solver/watchyourback/tables"
)

var searches = []cli.Search{
	{Name: "watchyourback live", Count: countLive},
	{Name: "watchyourback solver", Count: countSolver},
}

// countedPositions are positions from the first placement to eight turns before the second shrink.
var countedPositions = []string{
	"X------X/--------/--------/--------/--------/--------/--------/X------X:placing:0",
	"X------X/--------/--OO@---/---@@-O-/--------/--OO@@--/----@---/X------X:placing:12",
	"X------X/-----O--/--@@OOO-/-@@@OOO-/-@@@OO--/----OO--/-@--@---/X--@---X:placing:23",
	"X------X/--O--@--/----O@--/--OOO-@-/--OO@@--/-OO-@-@-/-@-@-@O-/X------X:moving:23",
	"X@-----X/--------/O@-@-OO-/--@@----/-@@-OO--/----O-O-/-@-@O---/X@--@O-X:moving:47",
	"X---O--X/-@O-O-O-/----OO-O/--O@@@OO/---@@@--/@-@-@@--/-O--@---/X------X:moving:71",
	"X-@O-OOX/@-@O--O-/--O-O---/---O-@@O/-O--@@--/--O-@--@/--@-----/X-@@---X:moving:95",
	"X-O@@--X/------O-/--@-OO--/-----O--/---@@--O/-@-@@OO-/--@@-OO-/X@--@O-X:moving:119",
	"......../.X---OX./.---O@@./.-@O-@-./.--OO@@./.--OO-@./.X@@@-X./........:moving:143",
	"......../.X-O--X./.-@-OO-./.@-@OO-./.-@@---./.----@-./.X---@X./........:moving:167",
	"......../.X---OX./.--O--O./.OOO--O./.-O@@-@./.-@-@--./.X-@--X./........:moving:182",
	"......../.X-@--X./.--@OO-./.-@-O--./.-@@@O-./.--@@O-./.X-O--X./........:moving:184",
}

// finalOracle contains the 4x4 stage only.
type finalOracle struct{ solved *tables.Final }

func (o finalOracle) Final(own, opp uint64) (value, distance int, ok bool) {
	return o.solved.Probe(own, opp)
}

func (finalOracle) Middle(_, _ uint64, _ int) (int, bool) { return 0, false }

// searchEach calls f with each of countedPositions and a new searcher, until f fails or ctx ends.
func searchEach(ctx context.Context, f func(p watchyourback.Position, s *search.Searcher) error) error {
	oracle := finalOracle{tables.NewFinal()}
	for _, text := range countedPositions {
		p, err := watchyourback.Parse(text)
		if err != nil {
			return fmt.Errorf("position %s: %w", text, err)
		}
		if err := f(p, search.New(16<<20, 1, oracle)); err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	return nil
}

// countLive counts the nodes of heuristic searches with depth 6.
func countLive(ctx context.Context) (nodes uint64, err error) {
	err = searchEach(ctx, func(p watchyourback.Position, s *search.Searcher) error {
		nodes += s.Search(ctx, p, search.Limits{Depth: 6}).Nodes
		return nil
	})
	return nodes, err
}

// countSolver counts the nodes of exact searches of the positions shortly before the second shrink.
func countSolver(ctx context.Context) (nodes uint64, err error) {
	err = searchEach(ctx, func(p watchyourback.Position, s *search.Searcher) error {
		if p.Stage() == watchyourback.Middle && p.ToShrink() <= 10 {
			_, _, n, _ := s.Solve(ctx, p, search.Limits{Nodes: 200_000})
			nodes += n
		}
		return nil
	})
	return nodes, err
}
