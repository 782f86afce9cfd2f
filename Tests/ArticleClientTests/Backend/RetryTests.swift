import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct RetryTests {
    private static let create = CreateArticleRequest(article: Article.Draft(title: "a"))

    @Test func `a failed request is retried with growing delays`() async throws {
        let time = TestTime()
        let backend = TestBackend { _, count in
            guard count == 2 else { throw TransportError.offline("no network") }
            return page("at-last")
        }
        #expect(try await backend.service(time: time).send(list).next == "at-last")
        #expect(time.waits == [.milliseconds(200), .milliseconds(400)])
    }

    @Test func `after the last attempt, the error is reported`() async throws {
        let backend = TestBackend { _, _ in throw TransportError.offline("no network") }
        let error = await outcome { try await backend.service().send(list) }.error
        #expect(error == .offline("no network"))
        #expect(backend.requests.count == 3)
    }

    @Test(arguments: ["7", "Sun, 09 Sep 2001 01:46:47 GMT"])
    func `Retry-After is observed`(retryAfter: String) async throws {
        let time = TestTime()
        let backend = TestBackend { _, count in
            guard count == 0 else { return page("b") }
            var answer = rejection(.unavailable)
            answer.fields.set(.retryAfter, to: retryAfter)
            return answer
        }
        #expect(try await backend.service(time: time).send(list).next == "b")
        #expect(time.waits == [.seconds(7)])
    }

    @Test func `a change of the network ends the delay`() async throws {
        let waiting = Signal()
        var environment = TestTime().environment
        environment.sleep = { [waiting] _ in
            waiting.give()
            let never = Signal()
            await withTaskCancellationHandler {
                await never.wait()
            } onCancel: {
                never.give()
            }
            try Task.checkCancellation()
        }
        let backend = TestBackend { _, count in
            guard count > 0 else { throw TransportError.offline("no network") }
            return page("b")
        }
        let service = backend.service(environment: environment)
        let sending = Task { try await service.send(list).next }
        await waiting.wait()
        service.networkDidChange()
        #expect(try await sending.value == "b")
    }

    @Test func `no retry is delayed past the deadline`() async throws {
        let time = TestTime()
        let backend = TestBackend { _, _ in
            var answer = rejection(.tooManyRequests)
            answer.fields.set(.retryAfter, to: "61")
            return answer
        }
        let error = await outcome { try await backend.service(time: time).send(list) }.error
        guard case .problem(let problem)? = error else { throw TestFailure("\(error as Any)") }
        #expect(problem.kind == .tooManyRequests)
        #expect(time.waits == [])
    }

    @Test func `each attempt has only the remaining time`() async throws {
        let time = TestTime()
        let backend = TestBackend { _, _ in
            time.advance(by: .seconds(59.9))
            throw TransportError.offline("slow")
        }
        _ = await outcome { try await backend.service(time: time).send(list) }
        #expect(backend.requests.count == 1)
    }

    @Test func `a write is only retried with an idempotency key`() async throws {
        let backend = TestBackend { _, _ in throw TransportError.offline("no network") }
        _ = await outcome { try await backend.service().send(Self.create) }
        #expect(backend.requests.count == 1)
        var options = RequestOptions()
        options.idempotencyKey = "one"
        _ = await outcome { [options] in
            try await backend.service().send(Self.create, options: options)
        }
        #expect(backend.requests.count == 4)
        #expect(backend.requests.last?.fields[.idempotencyKey] == "one")
    }

    @Test(arguments: [Problem.Kind.notFound, .internalError, .invalidValues, .preconditionFailed])
    func `permanent errors are not retried`(kind: Problem.Kind) async throws {
        let backend = TestBackend { _, _ in rejection(kind) }
        _ = await outcome { try await backend.service().send(list) }
        #expect(backend.requests.count == 1)
    }

    @Test func `observers receive each attempt in order, without secrets`() async throws {
        let backend = TestBackend { _, count in
            guard count > 0 else { throw TransportError.offline("no network") }
            return page("b")
        }
        let events = Lock([BackendEvent]())
        let service = backend.service(
            auth: BackendAuth(token: "bsk_1_abc"),
            observers: [{ event in events.withLock { $0.append(event) } }])
        _ = try await service.send(list)
        let heard = events.withLock { $0 }
        #expect(
            heard.map(\.kind) == [
                .started, .finished(.failure(.offline("no network"))),
                .retried(after: .milliseconds(200), because: .offline("no network")),
                .started, .finished(.success(.ok)), .mapped,
            ])
        #expect(heard.allSatisfy { !$0.curl.contains("abc") && $0.target == "/v1/articles" })
        #expect(heard[0].curl.contains("-H 'Authorization: Bearer <redacted>'"))
    }

    @Test func `a retry waits for the first attempt in progress`() async throws {
        let time = TestTime()
        let backend = TestBackend { _, count in
            guard count > 0 else { throw TransportError.failed(.init(.disconnected, "lost")) }
            var answer = rejection(count < 6 ? .requestInFlight : .notFound)
            if count < 6 { answer.fields.set(.retryAfter, to: "1") }
            return answer
        }
        let create = CreateArticleRequest(
            article: Article.Draft(title: "a"), idempotencyKey: "one")
        let error = await outcome { try await backend.service(time: time).send(create) }.error
        guard case .problem(let problem)? = error else { throw TestFailure("\(error as Any)") }
        #expect(problem.kind == .notFound)
        #expect(backend.requests.count == 7)
        #expect(time.waits.dropFirst() == Array(repeating: .seconds(1), count: 5)[...])
    }

    @Test func `a first attempt is waited for until the deadline`() async throws {
        let time = TestTime()
        let backend = TestBackend { _, _ in
            var answer = rejection(.requestInFlight)
            answer.fields.set(.retryAfter, to: "1")
            return answer
        }
        let create = CreateArticleRequest(
            article: Article.Draft(title: "a"), idempotencyKey: "one")
        let error = await outcome { try await backend.service(time: time).send(create) }.error
        guard case .problem(let problem)? = error else { throw TestFailure("\(error as Any)") }
        #expect(problem.kind == .requestInFlight)
        #expect(backend.requests.count == 60)
        // Without retries, the error is reported at once.
        var configuration = BackendConfiguration(baseURL: "http://localhost")
        configuration.retries = .none
        _ = await outcome { [configuration] in
            try await backend.service(configuration).send(create)
        }
        #expect(backend.requests.count == 61)
    }

    @Test func `an invalid key is an error, and nothing is sent`()
        async throws
    {
        let backend = TestBackend { _, _ in rejection(.notFound) }
        var options = RequestOptions()
        options.idempotencyKey = "a\nb"
        let inRequest = CreateArticleRequest(
            article: Article.Draft(title: "a"), idempotencyKey: "a\nb")
        for (request, options) in [(inRequest, RequestOptions()), (Self.create, options)] {
            let error = await outcome {
                try await backend.service().send(request, options: options)
            }.error
            guard case .transport(let failure)? = error else {
                throw TestFailure("\(error as Any)")
            }
            #expect(failure.kind == .unsupported)
            #expect(failure.description.contains("Idempotency-Key"))
        }
        #expect(backend.requests.isEmpty)
    }
}
