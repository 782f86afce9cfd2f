/// The one place where the SDK makes tasks: for work that outlives whoever asked for it first, as
/// an answer that several wait for, the renewal of a token, or an operation in a queue. Everything
/// else runs in its caller's task, and ends with it.
enum ClientTask {
    static func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never> {
        if #available(macOS 26, iOS 26, *) { return Task.immediate { await work() } }
        return Task { await work() }
    }
}
