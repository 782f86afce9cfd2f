import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

/// The context of an operation, its lifetime, and the end of waiting for it.
@Suite struct OperationLifeTests {
    private enum Trace {
        @TaskLocal static var id = "none"
    }

    private struct Context: Equatable {
        let trace: String
        let priority: TaskPriority
    }

    /// The contexts of operations that one of low priority, with a task-local value, precedes.
    private func contexts(
        behind first: TaskPriority, _ adder: TaskPriority, _ priority: NetworkOperation.Priority
    ) async -> Context? {
        let queue = NetworkQueue(width: 1)
        let goOn = Signal()
        let seen = Lock<Context?>(nil)
        await detached(first, "prefetch") {
            queue.add(
                NetworkOperation {
                    await goOn.wait()
                    return .success(())
                })
        }
        let second = NetworkOperation(priority: priority) {
            seen.withLock {
                $0 = Context(trace: Trace.id, priority: Task.currentPriority)
            }
            return .success(())
        }
        await detached(adder, "screen") { queue.add(second) }
        goOn.give()
        _ = await second.ended()
        return seen.withLock { $0 }
    }

    /// Does the work with a priority that no wait raises, and a task-local value.
    private func detached(
        _ priority: TaskPriority, _ trace: String, _ work: @escaping @Sendable () -> Void
    ) async {
        let isDone = Signal()
        Task.detached(priority: priority) {
            Trace.$id.withValue(trace, operation: work)
            isDone.give()
        }
        await isDone.wait()
    }

    @Test(arguments: [
        (NetworkOperation.Priority.normal, TaskPriority.medium, TaskPriority.medium),
        (.high, .medium, .userInitiated), (.low, .userInitiated, .utility),
        (.low, .background, .background), (.normal, .userInitiated, .userInitiated),
    ])
    func `an operation inherits the context of the task that added it`(
        priority: NetworkOperation.Priority, adder: TaskPriority, expected: TaskPriority
    ) async throws {
        for before in [TaskPriority.background, .userInitiated] {
            #expect(
                await contexts(behind: before, adder, priority)
                    == Context(trace: "screen", priority: expected))
        }
    }

    @Test func `a waiter can leave without cancelling the operation`() async throws {
        let backend = TestBackend { _, _ in page("late") }
        let queue = NetworkQueue()
        queue.suspend()
        let operation = ServiceOperation(list, on: backend.service())
        queue.add(operation)
        let value = Task { await outcome { try await operation.value() }.error }
        let ended = Task { await operation.operation.ended().error }
        value.cancel()
        ended.cancel()
        #expect(await value.value == .cancelled)
        #expect(await ended.value == .cancelled)
        #expect(operation.operation.outcome == nil)
        queue.resume()
        #expect(try await operation.value().next == "late")
        // An operation that is never added does not block waiters, either.
        let never = ServiceOperation(list, on: backend.service())
        let waiter = Task { await outcome { try await never.value() }.error }
        waiter.cancel()
        #expect(await waiter.value == .cancelled)
    }

    @Test func `handlers have returned when waiting for the operation ends`() async throws {
        let service = TestBackend { _, _ in page("a") }.service()
        for _ in 0..<200 {
            let calls = Counter()
            let operation = service.send(
                list, success: { _ in calls.next() }, failure: { _ in calls.next() })
            _ = try await operation.value()
            #expect(calls.value == 1)
        }
        // A handler may wait for others, end the operation, and add handlers.
        let calls = Counter()
        let operation = NetworkOperation { .success(()) }
        operation.whenEnded { _ in
            operation.cancel()
            operation.whenEnded { _ in calls.next() }
            calls.next()
        }
        NetworkQueue().add(operation)
        #expect(await operation.ended().error == nil)
        #expect(calls.value == 2)
    }

    private final class Screen: Sendable {}

    @Test func `an ended operation releases its work`() async throws {
        let queue = NetworkQueue()
        weak var screen: Screen?
        weak var before: NetworkOperation?
        let operation: NetworkOperation = {
            let (held, first) = (Screen(), NetworkOperation { .success(()) })
            (screen, before) = (held, first)
            queue.add(first)
            return NetworkOperation(after: [first]) { [held] in
                withExtendedLifetime(held) { .success(()) }
            }
        }()
        #expect(screen != nil && before != nil)
        queue.add(operation)
        #expect(await operation.ended().error == nil)
        #expect(await eventually { screen == nil && before == nil && queue.count == 0 })
        #expect(operation.dependencies.isEmpty)

        weak var other: Screen?
        let cancelled: NetworkOperation = {
            let held = Screen()
            other = held
            return NetworkOperation { [held] in withExtendedLifetime(held) { .success(()) } }
        }()
        #expect(other != nil)
        cancelled.cancel()
        #expect(other == nil)
    }

    @Test func `a chain of 100,000 is released on a small stack`() throws {
        try onSmallStack {
            var last = NetworkOperation { .success(()) }
            for _ in 0..<100_000 { last = NetworkOperation(after: [last]) { .success(()) } }
            #expect(last.dependencies.count == 1)
        }
    }

    @Test func `a chain that fails at its first link ends on a small stack`() throws {
        let count = 1_000
        let queue = NetworkQueue(limit: count)
        queue.suspend()
        var chain = [NetworkOperation { .success(()) }]
        while chain.count < count {
            chain.append(NetworkOperation(after: [chain[chain.count - 1]]) { .success(()) })
        }
        for operation in chain { queue.add(operation) }
        let first = chain[0]
        try onSmallStack { first.cancel() }
        #expect(chain.allSatisfy { $0.outcome?.error == .cancelled })
        #expect(queue.count == 0)
    }

    /// Runs the work on a thread with the stack that iOS gives all but the first one, 512 KiB.
    private func onSmallStack(_ work: @escaping () -> Void) throws {
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        guard pthread_attr_setstacksize(&attributes, 512 << 10) == 0 else {
            throw TestFailure("no stack of 512 KiB")
        }
        final class Piece {
            let work: () -> Void
            init(_ work: @escaping () -> Void) { self.work = work }
        }
        var thread = pthread_t()
        let code = pthread_create(
            &thread, &attributes,
            { context in
                // Programmer error: the thread is given the piece below.
                guard let context else { preconditionFailure("a thread without its piece") }
                Unmanaged<Piece>.fromOpaque(context).takeRetainedValue().work()
                return nil
            }, Unmanaged.passRetained(Piece(work)).toOpaque())
        guard code == 0 else { throw TestFailure("pthread_create: error \(code)") }
        pthread_join(thread, nil)
    }

    @Test func `everything or one group is cancelled`() async throws {
        let queue = NetworkQueue()
        queue.suspend()
        let images = NetworkOperation(group: "images") { .success(()) }
        let others = (0..<3).map { _ in NetworkOperation { .success(()) } }
        for operation in [images] + others { queue.add(operation) }
        queue.cancelAll(group: "images")
        #expect(images.outcome?.error == .cancelled && queue.count == 3)
        queue.cancelAll()
        #expect(others.allSatisfy { $0.outcome?.error == .cancelled } && queue.count == 0)
    }
}
