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

    deinit { task.cancel() }
}
