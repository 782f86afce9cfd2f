import ArticleAPI
import ArticleClient

/// Passes on each value of a sequence until it is released.
final class ObservationTask: Sendable {
    private let task: Task<Void, Never>

    /// - Parameters:
    ///   - updates: does not keep alive what it observes.
    ///   - receive: must not keep alive the object that has this as a property.
    @MainActor init<Value>(
        _ updates: StoreUpdates<Value>, _ receive: @escaping @MainActor (Value) -> Void
    ) {
        let work: @MainActor @Sendable () async -> Void = {
            for await value in updates { receive(value) }
        }
        task = ClientTask.start(work)
    }

    /// Passes on the outcome of a request.
    ///
    /// - Parameters:
    ///   - request: the request to send.
    ///   - backend: sends it.
    ///   - receive: must not keep alive the object that has this as a property.
    @MainActor init<Request: BackendAPIRequest>(
        _ request: Request, from backend: BackendService,
        _ receive: @escaping @MainActor (Result<Request.Item, BackendError>) -> Void
    ) {
        let work: @MainActor @Sendable () async -> Void = {
            receive(await backend.outcome(of: request))
        }
        task = ClientTask.start(work)
    }

    deinit { task.cancel() }
}

extension BackendService {
    /// The outcome of a request, as a value.
    func outcome<Request: BackendAPIRequest>(
        of request: Request
    ) async -> Result<Request.Item, BackendError> {
        do throws(BackendError) { return .success(try await send(request)) } catch {
            return .failure(error)
        }
    }
}
