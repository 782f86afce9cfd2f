import Network

/// The writes with a key that are under way: as one process owns the file, it knows them all.
final class WritesInFlight: Sendable {
    private let scopes = Lock<Set<[UInt8]>>([])

    /// Runs the write, unless one under the same key is under way.
    func run<Value>(
        _ scope: [UInt8], _ write: () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        guard scopes.withLock({ $0.insert(scope).inserted }) else { throw .inFlight }
        defer { scopes.withLock { _ = $0.remove(scope) } }
        return try await write()
    }
}
