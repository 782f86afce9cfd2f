import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Subscribers of change streams while the disk is full, or while the history is replaced.
@Suite(.mayBlock) struct StreamFaultTests {
    let folder: TemporaryFolder
    let database: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
    }

    // MARK: A full disk

    @Test(.enabled(if: Shell.canMount, "mounts need root"))
    func `on a full disk subscribers receive what is committed, and nothing else`() throws {
        #expect(try RunningServer(database, ["--samples"]).stop() == 0)
        let made = try Program.run("key", "create", "--role", "editor", "--database", database)
        let key = try #require(made.output.first)
        let disk = try SmallDisk(folder)
        let address = disk.served.addresses[0]
        var writer = WatchedWriter(
            disk.served,
            watchers: try [nil, key, nil].map { key in
                try Subscriber(StreamFollower(key: key), at: address)
            })
        try writer.fill()
        #expect(writer.places.count > 3 && writer.rejected > 3)
        for place in writer.places { #expect(try disk.served.client.get(place).status == 200) }
        // Reading needs no room, whether a client starts, resumes or has an open stream.
        var another = StreamFollower()
        try another.catchUp(address)
        try another.expectCurrent(disk.served.client)
        try writer.expectCurrent()

        let before = writer.watchers.map(\.follower)
        let rejected = writer.rejected
        disk.makeRoom()
        var expected: [[String]] = before.map { _ in [] }
        for (method, target, body) in [
            (.post, "/v1/articles", #"{"title":"Room","status":"published"}"#),
            (.post, "/v1/articles", #"{"title":"Draft"}"#),
            (.patch, writer.places[0], #"{"title":"Changed"}"#),
            (.delete, writer.places[1], ""),
        ] as [(HTTPMethod, String, String)] {
            let received = try writer.write(method, target, body)
            for (index, changes) in received.enumerated() { expected[index] += changes }
        }
        #expect(writer.rejected == rejected && expected.map(\.count) == [3, 4, 3])
        for (follower, changes) in zip(before, expected) {
            var returning = follower
            let received = try returning.catchUp(address)
            #expect(received == changes)
            try returning.expectCurrent(disk.served.client)
        }
        try writer.expectCurrent()
        disk.served.program.signal(SIGTERM)
        for watcher in writer.watchers { try watcher.expectEnd() }
        #expect(disk.served.program.wait() == 0)
    }

    // MARK: Another history

    private func serve(_ arguments: String...) throws -> RunningServer {
        try RunningServer(database, listen: ["unix:" + folder.file("s.sock")], arguments)
    }

    private func subscribe(to served: RunningServer) throws -> [Subscriber] {
        try [StreamFollower(), StreamFollower(key: RunningServer.adminKey)].map { follower in
            try Subscriber(follower, at: served.addresses[0])
        }
    }

    /// Publishes an article, which each subscriber receives next.
    private func publish(
        _ title: String, on served: RunningServer, to subscribers: inout [Subscriber]
    ) throws {
        let response = try served.send(
            .post, "/v1/articles", #"{"title":"\#(title)","status":"published"}"#)
        let article = try Article(mapping: response.body)
        for index in subscribers.indices {
            let received = try subscribers[index].receive(1)
            #expect(received == ["put article \(article.id) 1"])
        }
    }

    /// No one can resume: each starts with an empty copy, which equals the lists in the end.
    private func restart(_ subscribers: [Subscriber], on served: RunningServer) throws {
        let address = served.addresses[0]
        func expectReset() throws {
            for subscriber in subscribers {
                let stream = try subscriber.follower.open(address)
                #expect(stream.head.status == .gone)
            }
        }
        try expectReset()
        var others = try subscribe(to: served)
        for title in ["After", "And later"] { try publish(title, on: served, to: &others) }
        for other in others { try other.follower.expectCurrent(served.client) }
        // The same numbers have come again.
        try expectReset()
    }

    @Test func `subscribers start anew when a backup is restored`() throws {
        let backup = folder.file("backup.db")
        var subscribers: [Subscriber]
        do {
            let served = try serve("--samples")
            subscribers = try subscribe(to: served)
            #expect(try Program.run("backup", backup, "--database", database).status == 0)
            try publish("Lost", on: served, to: &subscribers)
            // A database that is being served is not replaced, and its streams go on.
            let rejected = try Program.run(
                "restore", backup, "--replace", "--database", database)
            #expect(rejected.status == 69)
            try publish("Lost as well", on: served, to: &subscribers)
            served.program.signal(SIGTERM)
            for subscriber in subscribers { try subscriber.expectEnd() }
            #expect(served.program.wait() == 0)
        }
        let restored = try Program.run("restore", backup, "--replace", "--database", database)
        #expect(restored.status == 0)
        let served = try serve("--samples")
        #expect(try !served.client.get("/v1/articles").text.contains("Lost"))
        try restart(subscribers, on: served)
        #expect(served.stop() == 0)
    }

    @Test func `streams end when the running server imports an export`() throws {
        let other = folder.file("other.db")
        let export = folder.file("export.ndjson")
        do {
            let served = try RunningServer(other)
            let made = try served.send(
                .post, "/v1/articles", #"{"title":"From elsewhere","status":"published"}"#)
            #expect(made.status == 201)
            #expect(served.stop() == 0)
        }
        #expect(try Program.run("export", export, "--database", other).status == 0)
        // Only an empty database accepts an export.
        let served = try serve()
        let subscribers = try subscribe(to: served)
        let imported = try Program.run("import", export, "--database", database)
        #expect(imported.status == 0, "\(imported)")
        for subscriber in subscribers { try subscriber.expectEnd() }
        #expect(try served.client.get("/v1/articles").text.contains("From elsewhere"))
        try restart(subscribers, on: served)
        #expect(served.stop() == 0)
    }
}

/// Writes, and expects that subscribers receive next what was committed and they may see.
private struct WatchedWriter {
    let served: RunningServer
    private(set) var watchers: [Subscriber]
    /// The published articles.
    private(set) var places: [String] = []
    /// The number of writes that failed with 507.
    private(set) var rejected = 0

    init(_ served: RunningServer, watchers: [Subscriber]) {
        self.served = served
        self.watchers = watchers
    }

    /// Writes until neither a long text nor a short one fits on the disk.
    mutating func fill() throws {
        for body in [String(repeating: "x", count: 50_000), "short"] {
            var failures = 0
            for _ in 0..<50 where failures < 3 {
                failures = try create([body, "short"]) ? 0 : failures + 1
            }
            #expect(failures == 3)
        }
        try write(.patch, places[0], #"{"title":"Other"}"#)
        try write(.delete, places[1])
    }

    /// Creates articles in requests that are sent together, and may share a commit: one is
    /// published and one is a draft for each of the texts.
    ///
    /// - Returns: Whether any was created.
    private mutating func create(_ bodies: [String]) throws -> Bool {
        let connections = try bodies.flatMap { body in
            try ["published", "draft"].map { status in
                let json = #"{"title":"Fill","status":"\#(status)","body":"\#(body)"}"#
                let lines = [
                    "POST /v1/articles HTTP/1.1", "Host: localhost",
                    "Authorization: Bearer \(RunningServer.adminKey)",
                    "Content-Type: application/json",
                    "Content-Length: \(json.utf8.count)", "", json,
                ]
                let connection = try RawConnection(served.addresses[0])
                try connection.send(lines.joined(separator: "\r\n"))
                return connection
            }
        }
        var created: [Article] = []
        for connection in connections {
            let article = try committed(connection.response(to: .post))
            created += [article].compactMap(\.self)
        }
        for index in watchers.indices {
            let seen = created.filter { isSeen($0, by: watchers[index]) }
            let received = try watchers[index].receive(seen.count)
            #expect(received.sorted() == seen.map { "put article \($0.id) 1" }.sorted())
        }
        return !created.isEmpty
    }

    /// Sends a write, and returns what each subscriber received.
    @discardableResult
    mutating func write(
        _ method: HTTPMethod, _ target: String, _ body: String = ""
    ) throws -> [[String]] {
        let type = method == .patch ? "application/merge-patch+json" : nil
        let response = try served.send(method, target, body, type: type)
        let deletion = response.status == 204 ? target.split(separator: "/").last : nil
        let article = deletion == nil ? try committed(response) : nil
        if deletion != nil { places.removeAll { $0 == target } }
        return try watchers.indices.map { index in
            if let deletion {
                let received = try watchers[index].receive(1)
                #expect(received.allSatisfy { $0.hasPrefix("delete article \(deletion) ") })
                return received
            }
            guard let article, isSeen(article, by: watchers[index]) else { return [] }
            let received = try watchers[index].receive(1)
            #expect(received == ["put article \(article.id) \(article.revision)"])
            return received
        }
    }

    /// The article that was written; `nil` if the disk is full.
    private mutating func committed(_ response: ReceivedResponse) throws -> Article? {
        guard response.status != 507 else {
            rejected += 1
            return nil
        }
        #expect([200, 201].contains(response.status), "\(response.text)")
        let article = try Article(mapping: response.body)
        if response.status == 201, article.status == .published {
            places.append("/v1/articles/\(article.id)")
        }
        return article
    }

    private func isSeen(_ article: Article, by watcher: Subscriber) -> Bool {
        article.status == .published || watcher.follower.key != nil
    }

    /// Checks that the copies equal the lists.
    func expectCurrent() throws {
        for watcher in watchers { try watcher.follower.expectCurrent(served.client) }
    }
}
