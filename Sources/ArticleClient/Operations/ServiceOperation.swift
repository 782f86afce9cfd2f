public import ArticleAPI

/// A request as an operation, which a queue sends when its turn comes.
///
/// `queue.add(ServiceOperation(FetchTagsRequest(), on: backend, priority: .high))`
public final class ServiceOperation<Request: BackendAPIRequest>: Sendable {
    public let request: Request
    /// The untyped operation, for queues and dependencies.
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
        // It belongs to the session in which it was created, however long it is queued.
        let session = service.auth.sessionID
        operation = NetworkOperation(priority: priority, group: group, after: dependencies) {
            await service.result(of: request, options: options, in: session).map { value in
                item.withLock { $0 = value }
            }
        }
    }

    public func cancel() { operation.cancel() }

    /// Waits for the item. A cancelled task stops waiting, with `cancelled`; the operation
    /// continues.
    public func value() async throws(BackendError) -> Request.Item {
        try result(await operation.ended()).get()
    }

    /// Calls the handler once when it has ended, on any thread.
    public func whenEnded(
        _ handler: @escaping @Sendable (Result<Request.Item, BackendError>) -> Void
    ) {
        operation.whenEnded { [self] in handler(result($0)) }
    }

    private func result(_ outcome: NetworkOperation.Outcome) -> Result<Request.Item, BackendError> {
        outcome.flatMap {
            // It has succeeded, so there is an item.
            item.withLock { $0 }.map { .success($0) } ?? .failure(.cancelled)
        }
    }
}
