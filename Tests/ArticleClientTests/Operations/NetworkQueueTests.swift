import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct NetworkQueueTests {
    private static let failure = BackendError.offline("no network")

    @Test func `at most as many operations run at a time as the width`() async throws {
        let running = Lock((now: 0, most: 0))
        let queue = NetworkQueue(width: 3)
        let operations = (0..<30).map { _ in
            NetworkOperation {
                running.withLock { running in
                    running.now += 1
                    running.most = max(running.most, running.now)
                }
                for _ in 0..<5 { await Task.yield() }
                running.withLock { $0.now -= 1 }
                return .success(())
            }
        }
        for operation in operations { queue.add(operation) }
        for operation in operations { #expect(await operation.ended().error == nil) }
        #expect(running.withLock { $0.most } <= 3)
        #expect(await eventually { queue.count == 0 })
    }

    @Test func `operations run by priority, then by age`() async throws {
        let order = Lock([Int]())
        let queue = NetworkQueue(width: 1)
        queue.suspend()
        let priorities: [NetworkOperation.Priority] = [.low, .normal, .high, .normal, .high, .low]
        let operations = priorities.enumerated().map { index, priority in
            NetworkOperation(priority: priority) {
                order.withLock { $0.append(index) }
                return .success(())
            }
        }
        for operation in operations { queue.add(operation) }
        #expect(order.withLock { $0.isEmpty } && queue.count == 6)
        queue.resume()
        for operation in operations { _ = await operation.ended() }
        #expect(order.withLock { $0 } == [2, 4, 1, 3, 0, 5])
    }

    @Test func `a priority may change while an operation waits`() async throws {
        let order = Lock([Int]())
        let queue = NetworkQueue(width: 1)
        queue.suspend()
        let operations = (0..<5).map { index in
            NetworkOperation {
                order.withLock { $0.append(index) }
                return .success(())
            }
        }
        queue.setPriority(.low, of: operations[0])
        for operation in operations { queue.add(operation) }
        queue.setPriority(.high, of: operations[4])
        queue.setPriority(.high, of: operations[2])
        #expect(operations[4].priority == .high)
        queue.resume()
        for operation in operations { _ = await operation.ended() }
        #expect(order.withLock { $0 } == [4, 2, 1, 3, 0])
        // It has ended, and is not run again.
        queue.setPriority(.high, of: operations[0])
        #expect(await eventually { queue.count == 0 })
    }

    @Test func `a wider queue starts more, a narrower one no more`() async throws {
        let (started, goOn) = (Counter(), Signal())
        let queue = NetworkQueue(width: 1)
        let operations = (0..<6).map { _ in
            NetworkOperation {
                _ = started.next()
                await goOn.wait()
                return .success(())
            }
        }
        for operation in operations { queue.add(operation) }
        #expect(await eventually { started.value == 1 })
        queue.width = 3
        #expect(await eventually { started.value == 3 })
        queue.width = 0
        #expect(queue.width == 1 && started.value == 3)
        goOn.give()
        for operation in operations { #expect(await operation.ended().error == nil) }
    }

    @Test func `a group pauses in conditions that do not suit it`() async throws {
        let order = Lock([String]())
        let queue = NetworkQueue(width: 1, pausing: ["images": [.offline, .constrained]])
        func operation(_ name: String, _ group: String?) -> NetworkOperation {
            NetworkOperation(priority: group == nil ? .low : .high, group: group) {
                order.withLock { $0.append(name) }
                return .success(())
            }
        }
        queue.conditions = [.expensive, .constrained]
        let (image, text) = (operation("image", "images"), operation("text", nil))
        let other = operation("other", "feeds")
        for operation in [image, text, other] { queue.add(operation) }
        for operation in [text, other] { #expect(await operation.ended().error == nil) }
        // Operations behind a paused one run, and the paused one waits.
        #expect(order.withLock { Set($0) } == ["text", "other"] && image.outcome == nil)
        queue.conditions = .expensive
        #expect(await image.ended().error == nil)
        queue.pausing = ["images": .expensive]
        let second = operation("second", "images")
        queue.add(second)
        queue.cancelAll(group: "images")
        #expect(await second.ended().error == .cancelled)
        #expect(order.withLock { $0.contains("second") } == false)
    }

    @Test func `a dependent waits for all and fails with the first failure`()
        async throws
    {
        let order = Lock([String]())
        let goOn = Signal()
        let queue = NetworkQueue()
        func operation(
            _ name: String, after dependencies: [NetworkOperation] = [],
            _ outcome: NetworkOperation.Outcome = .success(())
        ) -> NetworkOperation {
            NetworkOperation(after: dependencies) {
                if name == "a" { await goOn.wait() }
                order.withLock { $0.append(name) }
                return outcome
            }
        }
        let first = operation("a")
        let second = operation("b")
        let third = operation("c", after: [first, second])
        let bad = operation("bad", .failure(Self.failure))
        let lost = operation("lost", after: [first, bad])
        let alsoLost = operation("lost too", after: [lost])
        for next in [first, second, bad, third, lost, alsoLost] { queue.add(next) }
        #expect(await lost.ended().error == Self.failure)
        #expect(await alsoLost.ended().error == Self.failure)
        #expect(third.outcome == nil)
        goOn.give()
        #expect(await third.ended().error == nil)
        let names = order.withLock { $0 }
        #expect(Set(names) == ["a", "b", "c", "bad"] && names.last == "c")
    }

    @Test func `an operation that is cancelled before its turn never runs`() async throws {
        let queue = NetworkQueue()
        queue.suspend()
        let operation = NetworkOperation {
            Issue.record("it ran")
            return .success(())
        }
        let other = NetworkOperation { .success(()) }
        queue.add(operation)
        queue.add(other)
        operation.cancel()
        #expect(operation.outcome?.error == .cancelled)
        #expect(queue.count == 1)
        queue.resume()
        _ = await other.ended()
        let late = NetworkOperation {
            Issue.record("it ran")
            return .success(())
        }
        late.cancel()
        queue.add(late)
        #expect(await late.ended().error == .cancelled)
    }

    @Test func `a group is cancelled whether waiting or running`() async throws {
        let began = Signal()
        let never = Signal()
        let queue = NetworkQueue(width: 1)
        let running = NetworkOperation(group: "images") {
            began.give()
            await withTaskCancellationHandler {
                await never.wait()
            } onCancel: {
                never.give()
            }
            return .success(())
        }
        let waiting = NetworkOperation(group: "images") { .success(()) }
        let other = NetworkOperation { .success(()) }
        for operation in [running, waiting, other] { queue.add(operation) }
        await began.wait()
        queue.cancelAll(group: "images")
        #expect(running.outcome?.error == .cancelled)
        #expect(waiting.outcome?.error == .cancelled)
        #expect(await other.ended().error == nil)
        #expect(never.isGiven)
    }

    @Test func `a full queue rejects operations at once`() async throws {
        let queue = NetworkQueue(limit: 1)
        queue.suspend()
        queue.add(NetworkOperation { .success(()) })
        let operation = NetworkOperation { .success(()) }
        queue.add(operation)
        guard case .transport(let failure)? = operation.outcome?.error else {
            throw TestFailure("taken")
        }
        #expect(failure.kind == .overloaded)
    }

    @Test func `handlers are called once, even when added late`() async throws {
        let calls = Counter()
        let operation = NetworkOperation { .success(()) }
        operation.whenEnded { _ in calls.next() }
        operation.cancel()
        operation.cancel()
        operation.whenEnded { _ in calls.next() }
        #expect(calls.value == 2)
    }

    @Test func `an operation whose dependency is in no queue fails at once, and says why`()
        async throws
    {
        let queue = NetworkQueue()
        let forgotten = NetworkOperation { .success(()) }
        let operation = NetworkOperation(after: [forgotten]) { .success(()) }
        let behind = NetworkOperation(after: [operation]) { .success(()) }
        queue.add(operation)
        queue.add(behind)
        for error in [operation.outcome?.error, await behind.ended().error] {
            guard case .transport(let failure)? = error else {
                throw TestFailure("\(error as Any)")
            }
            #expect(failure.kind == .unsupported)
            #expect(failure.description.contains("not added to a queue"))
        }
        #expect(queue.count == 0)
        // In another queue, sent without one, or ended: the end of these is certain.
        let other = NetworkQueue()
        other.suspend()
        let elsewhere = NetworkOperation { .success(()) }
        other.add(elsewhere)
        let ended = NetworkOperation { .success(()) }
        queue.add(ended)
        _ = await ended.ended()
        let service = TestBackend { _, _ in page("a") }.service()
        let sent = service.send(list, success: { _ in }, failure: { _ in }).operation
        let last = NetworkOperation(after: [elsewhere, ended, sent]) { .success(()) }
        queue.add(last)
        #expect(last.outcome == nil)
        other.resume()
        #expect(await last.ended().error == nil)
    }

    @Test func `a released queue leaves nobody waiting`() async throws {
        let operation = NetworkOperation { .success(()) }
        do {
            let queue = NetworkQueue()
            queue.suspend()
            queue.add(operation)
        }
        #expect(await operation.ended().error == .cancelled)
    }

    @Test func `a request of the contract is an operation`() async throws {
        let backend = TestBackend { _, count in count == 0 ? page("a") : rejection(.notFound) }
        let service = backend.service(cache: nil)
        let queue = NetworkQueue()
        let first = ServiceOperation(list, on: service)
        let second = ServiceOperation(list, on: service, after: [first.operation])
        let third = ServiceOperation(list, on: service, after: [second.operation])
        queue.add(first)
        queue.add(second)
        queue.add(third)
        #expect(try await first.value().next == "a")
        let error = await outcome { try await third.value() }.error
        guard case .problem(let problem)? = error else { throw TestFailure("\(error as Any)") }
        #expect(problem.status == 404)
        #expect(backend.requests.count == 2)
    }
}
