// 'Observations' is only available in

import Observation

/// Observable objects are older than sequences of their values.
@Observable final class Clicks {
    var count = 0
}

func counts(_ clicks: Clicks) -> any AsyncSequence {
    Observations { clicks.count }
}
