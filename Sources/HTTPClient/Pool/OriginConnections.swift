import Sockets

/// The connections to one origin, and the exchanges that wait for one.
struct OriginConnections {
    /// Connected and without an exchange; the most recently used one is last.
    var idle: [ClientConnection] = []
    var all: [ObjectIdentifier: ClientConnection] = [:]
    /// Being resolved or connected.
    var connecting = 0
    var waiting: [Exchange] = []

    var isEmpty: Bool { all.isEmpty && connecting == 0 && waiting.isEmpty }

    mutating func removeIdle(_ connection: ClientConnection) {
        idle.removeAll { $0 === connection }
    }

    /// Removes the exchange from the waiting ones.
    mutating func removeWaiting(_ exchange: Exchange) {
        waiting.removeAll { $0 === exchange }
    }
}
