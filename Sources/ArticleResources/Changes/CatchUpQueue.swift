import ArticleServiceCore
import BroadsheetPlatform

/// Reads pages for streams, a few at a time, with the clients in turn.
///
/// Streams that begin together, after a restart for example, wait here instead of filling the queue
/// of reads, where they would be rejected. As many wait as there are streams. The work runs in
/// tasks of its own, since a task never shrinks, and that of a stream lasts.
final class CatchUpQueue: Sendable {
    private struct Job: Sendable {
        let work: @Sendable () async -> Void
        /// Called instead of the work if the queue is closed.
        let reject: @Sendable () -> Void
    }

    private struct State {
        /// The jobs of each client that has some, and these clients in turn.
        var jobs: [WorkerPool.Client: FIFO<Job>] = [:]
        var clients = FIFO<WorkerPool.Client>()
        var isClosed = false
        /// Resumed when a job arrives or the queue is closed.
        var waiter: UnsafeContinuation<Void, Never>?

        mutating func append(_ job: Job, of client: WorkerPool.Client) {
            if jobs[client] == nil { clients.append(client) }
            jobs[client, default: FIFO()].append(job)
        }

        mutating func popFirst() -> Job? {
            guard let client = clients.popFirst() else { return nil }
            let job = jobs[client]?.popFirst()
            if jobs[client]?.isEmpty ?? true {
                jobs[client] = nil
            } else {
                clients.append(client)
            }
            return job
        }
    }

    private let state = Lock(State())

    /// Does the work in turn; throws `.busy` when the queue is closed.
    package func run<Value: Sendable>(
        for client: WorkerPool.Client,
        _ work: @escaping @Sendable () async throws(ServiceError) -> Value
    ) async throws(ServiceError) -> Value {
        let result: Result<Value, ServiceError> = await withUnsafeContinuation { continuation in
            add(
                of: client,
                Job {
                    do throws(ServiceError) {
                        continuation.resume(returning: .success(try await work()))
                    } catch { continuation.resume(returning: .failure(error)) }
                } reject: {
                    continuation.resume(returning: .failure(.busy))
                })
        }
        return try result.get()
    }

    private func add(of client: WorkerPool.Client, _ job: Job) {
        let (isClosed, waiter) = state.withLock { state in
            if !state.isClosed { state.append(job, of: client) }
            return (state.isClosed, state.waiter.take())
        }
        if isClosed { job.reject() }
        waiter?.resume()
    }

    /// Serves the queue until the task is cancelled, and then closes it. Called once.
    func serve(width: Int) async {
        await withTaskGroup(of: Void.self) { group in
            var running = 0
            while let job = await next() {
                if running == width {
                    await group.next()
                    running -= 1
                }
                running += 1
                group.addTask { await job.work() }
            }
        }
    }

    /// The next job; `nil` if the queue is closed.
    private func next() async -> Job? {
        while true {
            let (job, isClosed) = state.withLock { ($0.popFirst(), $0.isClosed) }
            if job != nil || isClosed { return job }
            await withTaskCancellationHandler {
                await withUnsafeContinuation { continuation in
                    let isReady = state.withLock { state in
                        guard state.clients.isEmpty, !state.isClosed else { return true }
                        state.waiter = continuation
                        return false
                    }
                    if isReady { continuation.resume() }
                }
            } onCancel: {
                close()
            }
        }
    }

    private func close() {
        let (jobs, waiter) = state.withLock { state in
            state.isClosed = true
            var jobs: [Job] = []
            while let job = state.popFirst() { jobs.append(job) }
            return (jobs, state.waiter.take())
        }
        for job in jobs { job.reject() }
        waiter?.resume()
    }
}
