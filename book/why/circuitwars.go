package why

import "endwise/engine/circuitwars"

func (e *explainer) circuit(p circuitwars.Position) {}
