import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetTestSupport
import Testing

@Suite struct ResponseCacheTests {
    private func run(
        _ bench: CacheFixture, observers: [any ExchangeObserver] = [],
        _ body: (TestServer) async throws -> Void
    ) async throws {
        let configuration = bench.configuration {
            $0.loops = 2
            $0.observers = observers
        }
        try await TestServer.run(bench.router(), with: configuration, body)
    }

    private func expect(_ text: String, from test: TestServer) throws {
        #expect(try test.client.get("/values/a").text == text)
    }

    private func request(_ target: String) -> String {
        "GET \(target) HTTP/1.1\r\nHost: test\r\n\r\n"
    }

    @Test func `a response is generated once, and again after a change`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        try await run(bench) { test in
            for _ in 0..<5 { try expect("one", from: test) }
            #expect(bench.reads == 1)
            bench.change("a", to: "two")
            for _ in 0..<5 { try expect("two", from: test) }
            #expect(bench.reads == 2)
            #expect(bench.cache.statistics.hits == 8)
        }
    }

    @Test func `a change does not invalidate independent responses`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        try await run(bench) { test in
            try expect("one", from: test)
            for number in 0..<10_000 { bench.change("busy", to: "\(number)") }
            // So many that single tags are forgotten as well.
            for number in 0..<10_000 { bench.change("\(number)", to: "x") }
            try expect("one", from: test)
            #expect(bench.reads == 1)
        }
    }

    @Test func `data read before a change is not stored after it`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "old")
        bench.shutGate()
        try await run(bench) { test in
            let early = try RawConnection(test.address)
            try early.send(request("/values/a"))
            try waitUntil { bench.heldCount == 1 }
            bench.change("a", to: "new")
            bench.openGate()
            #expect(try early.response().text == "old")
            try expect("new", from: test)
            try expect("new", from: test)
            #expect(bench.reads == 2)
        }
    }

    @Test func `data read while a change becomes visible is not stored`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "old")
        try await run(bench) { test in
            let dependency = CacheFixture.dependency("a")
            bench.cache.willChange([dependency], through: 2)
            try expect("old", from: test)
            #expect(bench.cache.statistics.responses == 0)
            // The change fails: nothing has changed, and responses may be stored as before.
            bench.cache.didChange(through: 1, isFailure: true)
            try expect("old", from: test)
            #expect(bench.cache.statistics.responses == 1)
            // More changes than are remembered by name.
            bench.cache.willChange(nil, through: 9_000)
            #expect(bench.cache.statistics.responses == 0)
            bench.cache.didChange(through: 1, isFailure: true)
            try expect("old", from: test)
            #expect(bench.cache.statistics.responses == 1)
        }
    }

    /// The responses to a request that has read its data before a change, and to one that arrives
    /// after it.
    private func texts(
        _ bench: CacheFixture, around change: () -> Void
    ) async throws -> [String] {
        bench.shutGate()
        var texts: [String] = []
        try await run(bench) { test in
            let early = try RawConnection(test.address)
            try early.send(request("/values/a"))
            try waitUntil { bench.heldCount == 1 }
            change()
            let late = try RawConnection(test.address)
            try late.send(request("/values/a"))
            try waitUntil { bench.cache.statistics.shared == 1 }
            bench.openGate()
            texts = [try early.response().text, try late.response().text]
        }
        return texts
    }

    @Test func `a request after a change does not share data read before it`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "old")
        let texts = try await texts(bench) { bench.change("a", to: "new") }
        #expect(texts == ["old", "new"])
    }

    @Test func `data read before a change without a number is neither stored nor shared after it`()
        async throws
    {
        let bench = CacheFixture()
        bench.change("a", to: "old")
        bench.change("b", to: "other")
        let texts = try await texts(bench) { bench.replace("a", by: "new") }
        #expect(texts == ["old", "new"])
        try await run(bench) { test in
            try expect("new", from: test)
            let stored = bench.cache.statistics.responses
            bench.replace("b", by: "another")
            #expect(bench.cache.statistics.responses == stored)
            bench.replace("a", by: "newest")
            #expect(bench.cache.statistics.responses == stored - 1)
            try expect("newest", from: test)
        }
    }

    @Test func `requests before a change share data read before it`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "old")
        bench.shutGate()
        try await run(bench) { test in
            let connections = try (0..<20).map { _ in try RawConnection(test.address) }
            for connection in connections { try connection.send(request("/values/a")) }
            try waitUntil { bench.heldCount == 1 && bench.cache.statistics.shared == 19 }
            bench.change("a", to: "new")
            bench.openGate()
            for connection in connections {
                #expect(try connection.response().text == "old")
            }
            #expect(bench.reads == 1)
            #expect(bench.cache.statistics.responses == 0)
        }
    }

    @Test func `a request after a change of something else shares data`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        let texts = try await texts(bench) { bench.change("b", to: "two") }
        #expect(texts == ["one", "one"])
        #expect(bench.reads == 1)
    }

    @Test func `concurrent requests share one generation`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        bench.shutGate()
        try await run(bench) { test in
            let connections = try (0..<50).map { _ in try RawConnection(test.address) }
            for connection in connections { try connection.send(request("/values/a")) }
            try waitUntil { bench.heldCount == 1 && bench.cache.statistics.shared == 49 }
            bench.openGate()
            for connection in connections {
                #expect(try connection.response().text == "one")
            }
            #expect(bench.reads == 1)
        }
    }

    @Test func `a generation that hangs is not waited for`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        bench.shutGate()
        try await run(bench) { test in
            let first = try RawConnection(test.address)
            try first.send(request("/values/a"))
            try waitUntil { bench.heldCount == 1 }
            bench.setTime(10_000)
            let second = try RawConnection(test.address)
            try second.send(request("/values/a"))
            try waitUntil { bench.heldCount == 2 }
            bench.openGate()
            #expect(try first.response().text == "one")
            #expect(try second.response().text == "one")
        }
    }

    @Test func `a response expires in time`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        bench.setEnd(2_000)
        try await run(bench) { test in
            bench.setTime(1_999)
            for _ in 0..<3 { _ = try test.client.get("/values/a") }
            #expect(bench.reads == 1)
            bench.setTime(2_000)
            bench.setEnd(nil)
            for _ in 0..<3 { _ = try test.client.get("/values/a") }
            #expect(bench.reads == 2)
        }
    }

    @Test func `errors are not cached`() async throws {
        let bench = CacheFixture()
        try await run(bench) { test in
            for _ in 0..<3 {
                let response = try test.client.get("/values/none")
                #expect(response.status == 404)
            }
            #expect(bench.reads == 3)
            #expect(bench.cache.statistics.responses == 0)
        }
    }

    @Test func `both spellings of a query are one entry, over both versions`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        let configuration = bench.configuration { $0.takesCleartextHTTP2 = true }
        try await TestServer.run(bench.router(), with: configuration) { test in
            for query in ["%22x%7Cy%22", "\"x|y\"", "%22x|y\""] {
                #expect(try test.client.get("/values/a?q=\(query)").text == "one")
                let client = try TestHTTP2Client(RawConnection(test.address))
                #expect(try client.exchange(.get, "/values/a?q=\(query)").text == "one")
            }
            #expect(bench.reads == 1 && bench.cache.statistics.responses == 1)
            #expect(bench.cache.statistics.hits == 5)
        }
    }

    @Test func `credentials and other methods bypass the cache`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "public")
        try await run(bench) { test in
            try expect("public", from: test)
            let mine = try test.client.send(.get, "/values/a", fields: [.authorization: "Bearer x"])
            #expect(mine.text == "private")
            #expect(try test.client.send(.post, "/values/a").status == 405)
            #expect(try test.client.send(.get, "/values/a", body: [1]).status == 400)
            try expect("public", from: test)
            #expect(bench.reads == 1)
        }
    }

    @Test func `HEAD and conditional requests are served from the cache`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        try await run(bench) { test in
            let whole = try test.client.get("/values/a")
            let head = try test.client.send(.head, "/values/a")
            #expect(head.status == 200 && head.body.isEmpty)
            #expect(head.fields[.contentLength] == "3")
            #expect(head.fields[.etag] == whole.fields[.etag])
            for tags in ["\"one\"", "W/\"one\"", "\"x\", \"one\"", "*"] {
                let same = try test.client.send(.get, "/values/a", fields: [.ifNoneMatch: tags])
                #expect(same.status == 304 && same.body.isEmpty)
                #expect(same.fields[.etag] == "\"one\"")
                #expect(same.fields[.vary] == "Accept-Encoding")
                #expect(!same.fields.contains(.contentType))
            }
            let other = try test.client.send(.get, "/values/a", fields: [.ifNoneMatch: "\"x\""])
            #expect(other.text == "one")
            #expect(bench.reads == 1)
            bench.change("a", to: "two")
            let changed = try test.client.send(
                .get, "/values/a", fields: [.ifNoneMatch: "\"one\""])
            #expect(changed.text == "two")
        }
    }

    @Test func `the cache respects its limit and keeps popular responses`() async throws {
        let bench = CacheFixture(limitBytes: 100_000)
        for number in 0..<300 { bench.change("v\(number)", to: "\(number)") }
        bench.change("large", to: String(repeating: "x", count: 60_000))
        try await run(bench) { test in
            let connection = try RawConnection(test.address)
            for number in 0..<300 {
                for name in ["v0", "v\(number)"] {
                    try connection.send(request("/values/\(name)"))
                    #expect(try connection.response().text == name.dropFirst())
                }
                #expect(bench.cache.statistics.bytes <= 100_000)
            }
            // `v0` was requested all the time, and never had to be generated again.
            #expect(bench.reads == 300)
            #expect(bench.cache.statistics.evictions > 100)
            // But not at the expense of all others.
            let kept = bench.cache.statistics.responses
            #expect(try test.client.get("/values/large").body.count == 60_000)
            #expect(bench.cache.statistics.responses == kept)
        }
    }

    @Test func `a cache of zero bytes stores nothing`() async throws {
        let bench = CacheFixture(limitBytes: 0)
        bench.change("a", to: "one")
        try await run(bench) { test in
            for _ in 0..<3 { try expect("one", from: test) }
            #expect(bench.reads == 3)
        }
    }

    @Test func `a cached response is counted and logged like any other`() async throws {
        let bench = CacheFixture()
        bench.change("a", to: "one")
        let seen = Exchanges()
        try await run(bench, observers: [seen]) { test in
            for _ in 0..<3 {
                let response = try test.client.send(
                    .get, "/values/a", fields: [.xRequestID: "me"])
                #expect(response.fields[.xRequestID] == "me")
                #expect(response.fields.contains(.date))
            }
            try waitUntil { seen.lines.count == 3 }
        }
        #expect(Set(seen.lines) == ["GET /values/a /values/{name} 200 me"])
    }
}
