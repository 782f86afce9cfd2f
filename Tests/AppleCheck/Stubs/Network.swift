@_exported import Dispatch

public struct NWPath: Sendable, Equatable {
    public enum Status: Sendable {
        case satisfied, unsatisfied, requiresConnection
    }

    public let status = Status.satisfied
    public let isExpensive = false
    public let isConstrained = false
}

// Apple's is documented so.
public final class NWPathMonitor: @unchecked Sendable {
    public init() {}
    @preconcurrency public final var pathUpdateHandler: (@Sendable (NWPath) -> Void)?
    public final func start(queue: DispatchQueue) {}
    public final func cancel() {}
}
