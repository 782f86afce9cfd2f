import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct CoalescingTests {
    @Test func `concurrent equal requests share one exchange`() async throws {
        let goOn = Signal()
        let backend = TestBackend { _, count in
            await goOn.wait()
            return page("\(count)")
        }
        let service = backend.service()
        let pages = await withTaskGroup(of: String?.self) { group in
            for _ in 0..<20 { group.addTask { try? await service.send(list).next } }
            group.addTask { try? await service.send(FetchArticlesRequest(limit: 1)).next }
            #expect(await eventually { backend.requests.count == 2 })
            goOn.give()
            return await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(pages == ["0", "1"])
        #expect(backend.requests.count == 2)
    }

    @Test func `waiters leave independently, and the last one ends the exchange`() async throws {
        let ended = Signal()
        let asked = Signal()
        let backend = TestBackend { _, count in
            guard count == 0 else { return page("fresh") }
            asked.give()
            await withTaskCancellationHandler {
                await ended.wait()
            } onCancel: {
                ended.give()
            }
            return page("late")
        }
        let service = backend.service()
        let tasks = (0..<5).map { _ in
            Task { await outcome { try await service.send(list) }.error }
        }
        await asked.wait()
        for task in tasks.dropLast() {
            task.cancel()
            #expect(await task.value == .cancelled)
        }
        #expect(!ended.isGiven)
        tasks[4].cancel()
        #expect(await tasks[4].value == .cancelled)
        await ended.wait()
        // A new caller does not join abandoned work.
        #expect(try await service.send(list).next == "fresh")
    }

    @Test func `joining at the moment of completion gives the response`() async throws {
        let backend = TestBackend { _, count in page("\(count)") }
        let service = backend.service(cache: nil)
        let answers = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<300 {
                        guard (try? await service.send(list)) != nil else { return false }
                    }
                    return true
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(answers == [true, true, true, true])
    }

    @Test func `writes are never shared`() async throws {
        let backend = TestBackend { _, _ in rejection(.notFound) }
        let service = backend.service()
        let create = CreateArticleRequest(article: Article.Draft(title: "a"))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<5 {
                group.addTask { _ = await outcome { try await service.send(create) } }
            }
        }
        #expect(backend.requests.count == 5)
    }

    @Test func `waiters have their own deadlines, the exchange the latest`() async throws {
        // A machine under load may bring the second one too late: then it gets more time.
        for milliseconds in [100, 1_000, 10_000, 60_000] {
            let arrived = Signal()
            let goOn = Signal()
            let backend = TestBackend { _, _ in
                arrived.give()
                await goOn.wait()
                return page("in")
            }
            let service = backend.service(environment: .system)
            let short = patience(.milliseconds(milliseconds))
            let long = patience(.seconds(Patience.seconds))
            async let first = outcome { try await service.send(list, options: short) }
            await arrived.wait()
            async let second = outcome { try await service.send(list, options: long).next }
            async let third = outcome { try await service.send(list, options: short) }
            let errors = await [first.error, third.error]
            goOn.give()
            let last = await second
            guard backend.requests.count == 1 else { continue }
            #expect(errors == [.timedOut, .timedOut])
            #expect(try last.get() == "in")
            return
        }
        Issue.record("the second one never joined the first")
    }

    @Test func `a shared exchange has the highest priority of its waiters`() async throws {
        let arrived = Signal()
        let goOn = Signal()
        let priority = Lock(TaskPriority.background)
        let backend = TestBackend { _, _ in
            arrived.give()
            while !goOn.isGiven {
                let now = Task.currentPriority
                priority.withLock { $0 = now }
                await Task.yield()
            }
            return page("in")
        }
        let service = backend.service()
        let prefetch = Task.detached(priority: .background) { try await service.send(list).next }
        await arrived.wait()
        let tap = Task.detached(priority: .high) { try await service.send(list).next }
        #expect(await eventually { priority.withLock { $0 } == .high })
        goOn.give()
        #expect(try await prefetch.value == "in")
        #expect(try await tap.value == "in")
        #expect(backend.requests.count == 1)
    }

    private func patience(_ timeout: Duration) -> RequestOptions {
        var options = RequestOptions()
        options.timeout = timeout
        return options
    }
}
