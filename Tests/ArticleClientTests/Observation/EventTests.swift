import ArticleAPI
import ArticleClient
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

/// The events of a service: their identities and sizes, and observers that come and go.
@Suite struct EventTests {
    private func name(_ event: BackendEvent) -> String {
        let kind =
            switch event.kind {
            case .started: "started"
            case .finished(let result):
                "finished \((try? result.get().code).map(String.init) ?? "error")"
            case .retried: "retried"
            case .cached: "cached"
            case .mapped: "mapped"
            case .unmapped: "unmapped"
            case .leftOut(let errors):
                "left out \(errors.map { "\($0)" }.joined(separator: ", "))"
            }
        return "\(event.id) \(kind)"
    }

    @Test func `an exchange has an identity, an attempt, sizes and the backend's id`() async throws
    {
        let heard = Lock([BackendEvent]())
        let backend = TestBackend { _, count in
            var response = count == 0 ? rejection(.unavailable) : page("b")
            response.fields[.xRequestID] = "r\(count)"
            return response
        }
        let service = backend.service(observers: [{ event in heard.withLock { $0.append(event) } }])
        _ = try await service.send(list)
        _ = try await service.send(FetchTagsRequest(limit: 3), options: .init(freshness: .reloaded))
        let events = heard.withLock { $0 }
        #expect(
            events.prefix(6).map(name) == [
                "1.1 started", "1.1 finished 503", "1.1 retried", "1.2 started",
                "1.2 finished 200", "1.0 mapped",
            ])
        #expect(events[6].id == events[7].id && events[6].id.request == 2)
        #expect(events.prefix(6).map(\.requestID) == [nil, "r0", nil, nil, "r1", nil])
        #expect(events[4].received == #"{"items":[],"next":"b"}"#.utf8.count)
        #expect(events[3].received == nil && events[3].sent == 0)
        #expect(events[3].context.endpoint == FetchArticlesRequest.endpoint)
    }

    @Test func `a redirect is an exchange of its own`() async throws {
        let heard = Lock([BackendEvent]())
        let backend = TestBackend { _, count in
            count == 0
                ? HTTPResponse(.found, fields: [.location: "http://example.com/a"]) : page("b")
        }
        let service = backend.service(observers: [{ event in heard.withLock { $0.append(event) } }])
        _ = try await service.send(list)
        let finished = heard.withLock { $0 }.filter {
            if case .finished = $0.kind { true } else { false }
        }
        #expect(finished.map(\.id.attempt) == [1, 2])
        #expect(finished.map { "\($0.origin)" } == ["http://localhost", "http://example.com"])
    }

    @Test func `what a write sends is counted`() async throws {
        let heard = Lock([BackendEvent]())
        let backend = TestBackend { _, _ in rejection(.forbidden) }
        let service = backend.service(observers: [{ event in heard.withLock { $0.append(event) } }])
        _ = await outcome {
            try await service.send(CreateArticleRequest(article: Article.Draft(title: "a")))
        }
        let sent = try #require(backend.requests.first).body.count
        #expect(sent > 0 && heard.withLock { $0.map(\.sent) } == [sent, sent])
    }

    @Test func `what a lenient item does not have is reported`() async throws {
        let heard = Lock([BackendEvent]())
        let tag = #"{"key":"a","name":"A","articleCount":1}"#
        let backend = TestBackend { _, _ in
            HTTPResponse(
                .ok, fields: [.contentType: "application/json", .etag: "\"1\""],
                body: .bytes(Array(#"{"items":[\#(tag),{"key":"b","name":"B"}]}"#.utf8)))
        }
        let service = backend.service(observers: [{ event in heard.withLock { $0.append(event) } }])
        let page = try await service.send(Lenient.Request(FetchTagsRequest()))
        #expect(page.value.items.map(\.tag.key) == ["a"] && page.leftOut.count == 1)
        #expect(
            heard.withLock { $0 }.map(name).suffix(2) == [
                "1.0 mapped",
                "1.0 left out $.items[1].articleCount: the attribute `articleCount` is missing",
            ])
        // The cached copy is decoded in the same way.
        let copy = try await service.send(
            Lenient.Request(FetchTagsRequest()), options: .init(freshness: .cached))
        #expect(copy == page)
    }

    @Test func `observers come and go`() async throws {
        let backend = TestBackend { _, count in page("\(count)") }
        let service = backend.service(cache: nil)
        _ = try await service.send(list)
        #expect(!service.network.isObserved)
        let (first, second) = (service.events, service.events)
        _ = try await service.send(list)
        var iterator = first.makeAsyncIterator()
        #expect(await iterator.next().map(name) == "2.1 started")
        #expect(await iterator.next().map(name) == "2.1 finished 200")
        let reading = Task {
            var names: [String] = []
            for await event in second { names.append(name(event)) }
            return names
        }
        _ = try await service.send(list)
        reading.cancel()
        // What had been reported before it was cancelled may still be read.
        #expect(await reading.value.prefix(3) == ["2.1 started", "2.1 finished 200", "2.0 mapped"])
        #expect(await iterator.next().map(name) == "2.0 mapped")
        #expect(await iterator.next().map(name) == "3.1 started")
        #expect(service.network.isObserved)
    }

    @Test func `a reader that falls behind misses the oldest events`() async throws {
        let service = TestBackend { _, count in page("\(count)") }.service(cache: nil)
        let events = service.events
        for _ in 0..<100 { _ = try await service.send(list) }
        var iterator = events.makeAsyncIterator()
        // 300 events were reported, and 256 are kept.
        #expect(await iterator.next().map(name) == "15.0 mapped")
    }

    @Test func `the events end with the service`() async throws {
        var service: BackendService? = TestBackend { _, count in page("\(count)") }.service()
        var events = try #require(service).events.makeAsyncIterator()
        _ = try await service?.send(list)
        service = nil
        var count = 0
        while await events.next() != nil { count += 1 }
        #expect(count == 3)
    }

    @Test func `nobody is observed after the last reader has left`() async throws {
        let service = TestBackend { _, count in page("\(count)") }.service()
        do {
            let events = service.events
            #expect(service.network.isObserved)
            _ = events
        }
        #expect(await eventually { !service.network.isObserved })
    }
}
