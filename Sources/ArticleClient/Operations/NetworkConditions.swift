/// The faults of the network at present: none, or some of these.
///
/// A ``NetworkQueue`` pauses groups of operations by them. On Apple's platforms, `changes` follows
/// the system; elsewhere, the app says what it knows.
///
/// ```swift
/// let queue = NetworkQueue(width: 4, pausing: ["images": [.offline, .constrained]])
/// queue.conditions = [.expensive, .constrained]
/// ```
public struct NetworkConditions: OptionSet, Sendable, Hashable {
    public let rawValue: Int

    public init(rawValue: Int) { self.rawValue = rawValue }

    /// No network can be used.
    public static let offline = NetworkConditions(rawValue: 1 << 0)
    /// The network costs by the byte: a mobile network, or a personal hotspot.
    public static let expensive = NetworkConditions(rawValue: 1 << 1)
    /// The user asks apps to use little (Low Data Mode).
    public static let constrained = NetworkConditions(rawValue: 1 << 2)
}

#if canImport(Network)
    import Dispatch
    public import Network

    extension NetworkConditions {
        /// The conditions of a path.
        public init(_ path: NWPath) {
            self = []
            if path.status != .satisfied { insert(.offline) }
            if path.isExpensive { insert(.expensive) }
            if path.isConstrained { insert(.constrained) }
        }

        /// The present conditions and then each change, until the task that reads them ends.
        ///
        /// ```swift
        /// for await conditions in NetworkConditions.changes {
        ///     queue.conditions = conditions
        ///     backend.networkDidChange()
        /// }
        /// ```
        public static var changes: AsyncStream<NetworkConditions> {
            let (stream, continuation) = AsyncStream.makeStream(
                of: NetworkConditions.self, bufferingPolicy: .bufferingNewest(1))
            let monitor = NWPathMonitor()
            monitor.pathUpdateHandler = { continuation.yield(NetworkConditions($0)) }
            continuation.onTermination = { _ in monitor.cancel() }
            monitor.start(queue: DispatchQueue(label: "broadsheet.network-conditions"))
            return stream
        }
    }
#endif
