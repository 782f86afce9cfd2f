import ArticleAPI
import ArticleResources
import ArticleServices
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetTestSupport
import Testing

/// `GET /v1/changes/stream`: what it sends, where it resumes, what is rejected, and when it ends.
@Suite struct ChangeStreamTests {
    private static let bread = "/v1/articles/\(Samples.bread)"

    @Test func `events are written as they are documented`() async throws {
        try await TestBackend.run(samples: false) { server in
            let stream = try server.stream()
            #expect(stream.head.fields[.contentType] == "text/event-stream")
            #expect(stream.head.fields[.cacheControl] == "no-store")
            #expect(stream.head.fields[.xAccelBuffering] == "no")
            let ready = try #require(try stream.next())
            #expect(ready.type == "ready" && ready.data == "{}")
            #expect(try server.send("GET /v1/changes").token == ready.id)
            let made = try server.send(
                "PUT /v1/authors/\(Samples.mina)", as: .editor, #"{"name":"Mina"}"#)
            #expect(made.summary == "201")
            try server.send("POST /v1/articles", as: .editor, Samples.breadJSON)
            let events = [try stream.next(), try stream.next()].compactMap { $0 }
            #expect(events.map(\.type) == ["change", "change"])
            let page = try server.send("GET /v1/changes?since=\(ready.id)")
            let data = events.map(\.data).joined(separator: ",")
            #expect(page.text == #"{"changes":[\#(data)],"next":"\#(page.token)","more":false}"#)
            #expect(events.last?.id == page.token)
        }
    }

    @Test func `it begins with the snapshot of what the caller sees`() async throws {
        try await TestBackend.run { server in
            for sender in [Sender.anonymous, .reader, .editor] {
                let stream = try server.stream(as: sender)
                let events = try stream.events(upTo: "ready")
                let page = try server.send("GET /v1/changes", as: sender)
                let data = events.dropLast().map(\.data).joined(separator: ",")
                #expect(
                    page.text == #"{"changes":[\#(data)],"next":"\#(page.token)","more":false}"#)
                #expect(events.last?.id == page.token)
            }
        }
    }

    @Test func `it resumes after any event, and Last-Event-ID wins`() async throws {
        try await TestBackend.run { server in
            let all = try server.stream(as: .editor).events(upTo: "ready")
            #expect(all.count > 5)
            for (index, event) in all.enumerated() {
                for (target, fields) in [
                    ("?since=\(event.id)", HTTPFields()), ("", [.lastEventID: event.id]),
                    ("?since=\(all[0].id)", [.lastEventID: event.id]),
                    ("?since=now", [.lastEventID: event.id]),
                ] {
                    let stream = try server.stream(target, as: .editor, fields)
                    let rest = try stream.events(upTo: "ready")
                    // A client that was ready is ready again.
                    let left = index + 1 < all.count ? all[(index + 1)...] : all.suffix(1)
                    #expect(rest.map(\.data) == left.map(\.data))
                    #expect(rest.last?.id == all.last?.id)
                }
            }
        }
    }

    @Test func `what is hidden reaches editors alone`() async throws {
        try await TestBackend.run { server in
            let anonymous = try server.stream("?since=now")
            let editor = try server.stream("?since=now", as: .editor)
            _ = try anonymous.events(upTo: "ready")
            _ = try editor.events(upTo: "ready")
            let secret = "/v1/articles/\(Samples.secret)"
            try server.send("PATCH \(secret)", as: .editor, #"{"title":"Draft two"}"#)
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"title":"Loaf"}"#)
            let first = try #require(try editor.next())
            #expect(first.data.contains("Draft two"))
            #expect(try editor.next()?.data.contains("Loaf") == true)
            #expect(try anonymous.next()?.data.contains("Loaf") == true)
        }
    }

    @Test func `filters and fields apply, and deletions come`() async throws {
        try await TestBackend.run { server in
            let stream = try server.stream("?since=now&tag=bread&types=article&fields=title")
            _ = try stream.events(upTo: "ready")
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"title":"Loaf"}"#)
            #expect(
                try stream.next()?.data
                    == #"{"type":"article","action":"put","id":"\#(Samples.bread)","revision":2,"#
                    + #""article":{"id":"\#(Samples.bread)","title":"Loaf"}}"#)
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"tags":["Other"]}"#)
            let deletion = try stream.next()?.data
            #expect(
                deletion
                    == #"{"type":"article","action":"delete","id":"\#(Samples.bread)","#
                    + #""revision":3}"#)
        }
    }

    @Test func `a change is encoded once for all who see the same`() async throws {
        try await TestBackend.run { server in
            let streams = try [Sender.anonymous, .anonymous, .reader].map { sender in
                try server.stream("?since=now", as: sender)
            }
            for stream in streams { _ = try stream.events(upTo: "ready") }
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"title":"Loaf"}"#)
            let received = try streams.map { try #require(try $0.next()) }
            #expect(Set(received).count == 1)
            let statistics = server.backend.streams.statistics
            #expect(statistics.changes == 1 && statistics.channels == 1 && statistics.open == 3)
        }
    }

    @Test func `what is wrong is answered before the stream begins`() async throws {
        try await TestBackend.run { server in
            func answer(_ target: String, with fields: HTTPFields = HTTPFields()) throws -> String {
                try server.send("GET /v1/changes/stream\(target)", with: fields).summary
            }
            #expect(try answer("?since=nonsense") == "400 invalid-token ?since")
            #expect(try answer("", with: [.lastEventID: "now"]) == "400 invalid-token ?since")
            let other = try server.send("GET /v1/changes?tag=bread").token
            #expect(try answer("?since=\(other)") == "400 invalid-token ?since")
            let foreign = "AAAAAAAAAAAAAAAAAAAAAA" + other.drop { $0 != "." }
            #expect(try answer("?tag=bread&since=\(foreign)") == "410 sync-reset ?since")
            #expect(try answer("?limit=5") == "400 malformed-request ?limit")
            #expect(
                try answer("", with: [.accept: "application/json"])
                    == "406 not-acceptable @Accept")
            // The queue may release the last of them after its response was sent.
            #expect(await eventually { server.backend.streams.statistics.open == 0 })
            let head = try server.send("HEAD /v1/changes/stream")
            #expect(head.summary == "200" && head.fields[.contentType] == "text/event-stream")
            #expect(await eventually { server.backend.streams.statistics.open == 0 })
        }
    }

    @Test func `a stream ends with its key`() async throws {
        try await TestBackend.run { server in
            let stream = try server.stream(as: .reader)
            let other = try server.stream(as: .editor)
            _ = try stream.events(upTo: "ready")
            let ready = try other.events(upTo: "ready")
            try server.revoke(.reader)
            #expect(try stream.events() == [])
            #expect(stream.isComplete && (500...1_500).contains(stream.retry ?? 0))
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"title":"Loaf"}"#)
            #expect(try other.next()?.data.contains("Loaf") == true && !ready.isEmpty)
            #expect(server.backend.streams.statistics.ended["access"] == 1)
        }
    }

    @Test func `comments come on time, with the token if only others have moved`() async throws {
        try await TestBackend.run { server in
            let stream = try server.stream("?since=now&tag=none&types=article")
            let ready = try #require(try stream.next())
            try server.send("PATCH \(Self.bread)", as: .editor, #"{"title":"Loaf"}"#)
            let present = try server.send("GET /v1/changes?since=now&tag=none&types=article")
            // The channel reads the change at some time after its commit.
            while stream.lastID != present.token {
                #expect(stream.lastID == ready.id)
                for _ in 0..<30 { server.backend.streams.tick() }
                try stream.receiveComment()
            }
        }
    }

    @Test func `streams end when the server stops`() async throws {
        try await TestBackend.run { server in
            let stream = try server.stream()
            _ = try stream.events(upTo: "ready")
            await server.stop()
            #expect(try stream.events() == [])
            #expect(stream.isComplete && stream.retry != nil)
        }
    }

    @Test func `the number of streams is limited, in all and for each address`() async throws {
        var limits = ChangeStreamLimits()
        limits.total = 3
        limits.perAddress = 2
        try await TestBackend.run(streamLimits: limits) { server in
            func open(_ address: String) throws -> EventStreamClient {
                try EventStreamClient(
                    server.address, "/v1/changes/stream",
                    fields: "X-Forwarded-For: \(address)\r\n")
            }
            let first = try (0..<2).map { _ in try open("192.0.2.1") }
            #expect(first.map(\.head.status) == [.ok, .ok])
            let third = try open("192.0.2.1")
            #expect(third.head.status == .tooManyRequests)
            #expect(third.head.fields.contains(.retryAfter))
            let other = try open("192.0.2.2")
            let fifth = try open("192.0.2.3")
            #expect(other.head.status == .ok && fifth.head.status == .serviceUnavailable)
            #expect(fifth.head.fields.contains(.retryAfter))
            first[0].connection.close()
            #expect(await eventually { server.backend.streams.statistics.open == 2 })
            #expect(try open("192.0.2.1").head.status == .ok)
            let statistics = server.backend.streams.statistics
            #expect(statistics.rejected == ["address": 1, "total": 1])
        }
    }

    @Test func `this machine may open any number of streams`() async throws {
        var limits = ChangeStreamLimits()
        limits.perAddress = 1
        try await TestBackend.run(streamLimits: limits) { server in
            let streams = try (0..<5).map { _ in try server.stream() }
            #expect(server.backend.streams.statistics.open == streams.count)
        }
    }
}
