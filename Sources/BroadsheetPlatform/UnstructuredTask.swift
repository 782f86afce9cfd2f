/// Tasks that nothing encloses: for work that goes on whatever becomes of those who began it.
public enum UnstructuredTask {
    /// Starts a task, which runs on the default executor.
    @discardableResult
    public static func start(
        _ body: @escaping @Sendable () async -> Void
    ) -> Task<Void, Never> {
        Task { await body() }
    }
}
