public import ArticleAPI

/// A request of the contract as an operation: a queue sends it when its turn comes.
///
/// `queue.add(ServiceOperation(FetchTagsRequest(), on: backend, priority: .high))`
public final class ServiceOperation<Request: BackendAPIRequest>: Sendable {
    public let request: Request
    /// What queues and dependencies know of it.
    public let operation: NetworkOperation
    private let item: Locked<Request.Item?>

    public init(
        _ request: Request, on service: BackendService, options: RequestOptions = .init(),
        priority: NetworkOperation.Priority = .normal, group: String? = nil,
        after dependencies: [NetworkOperation] = []
    ) {
        self.request = request
        let item = Locked<Request.Item?>(nil)
        self.item = item
        // However long it stands in a queue, it belongs to whoever made it.
        let session = service.auth.sessionID
        operation = NetworkOperation(priority: priority, group: group, after: dependencies) {
            await service.result(of: request, options: options, in: session).map { value in
                item.withLock { $0 = value }
            }
        }
    }

    public func cancel() { operation.cancel() }

    /// Waits for the item. A task that is cancelled stops waiting, with `cancelled`; the operation
    /// goes on.
    public func value() async throws(BackendError) -> Request.Item {
        try result(await operation.ended()).get()
    }

    /// Calls the handler when it has ended, once, on any thread.
    public func whenEnded(
        _ handler: @escaping @Sendable (Result<Request.Item, BackendError>) -> Void
    ) {
        operation.whenEnded { [self] in handler(result($0)) }
    }

    private func result(_ outcome: NetworkOperation.Outcome) -> Result<Request.Item, BackendError> {
        outcome.flatMap {
            // It has succeeded, so there is one.
            item.withLock { $0 }.map { .success($0) } ?? .failure(.cancelled)
        }
    }
}
