package why

import "endwise/engine/watchyourback"

func (e *explainer) pieces(p watchyourback.Position) {}
