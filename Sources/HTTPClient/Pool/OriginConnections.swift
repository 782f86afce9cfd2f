import Sockets

/// The connections to one origin, and what waits for one.
struct OriginConnections {
    /// Connected and without an exchange; the last one was used last.
    var idle: [ClientConnection] = []
    var all: [ObjectIdentifier: ClientConnection] = [:]
    /// Being looked up or connected.
    var connecting = 0
    var waiting: [Exchange] = []

    var isEmpty: Bool { all.isEmpty && connecting == 0 && waiting.isEmpty }

    mutating func removeIdle(_ connection: ClientConnection) {
        idle.removeAll { $0 === connection }
    }

    /// Takes the exchange out of those that wait.
    mutating func removeWaiting(_ exchange: Exchange) {
        waiting.removeAll { $0 === exchange }
    }
}
