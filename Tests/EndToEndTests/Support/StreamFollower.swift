import ArticleAPI
import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Testing

/// A client's copy that follows a stream across connections, and checks that nothing comes twice.
struct StreamFollower {
    /// The key that it sends; `nil`: it is anonymous.
    let key: String?
    /// The query that it follows; empty for all articles and authors that it sees.
    let query: String
    private var token: String?
    /// The revision of each thing in the copy, by type and id.
    private var copy: [String: Int] = [:]
    /// The last revision that was received of each thing, whether it was put or deleted.
    private var received: [String: Int] = [:]

    init(key: String? = nil, query: String = "") {
        self.key = key
        self.query = query
    }

    /// The revisions of all things of a type in the copy, by type and id.
    func things(_ type: String) -> [String: Int] {
        copy.filter { $0.key.hasPrefix("\(type) ") }
    }

    func open(_ address: SocketAddress, cutAfter limit: Int? = nil) throws -> EventStreamClient {
        var lines = token.map { "Last-Event-ID: \($0)\r\n" } ?? ""
        if let key { lines += "Authorization: Bearer \(key)\r\n" }
        return try EventStreamClient(
            address, "/v1/changes/stream?\(query)", fields: lines, cutAfter: limit)
    }

    /// Receives up to and including the next event of a type.
    ///
    /// - Returns: The changes: `"put article <id> <revision>"`.
    @discardableResult
    mutating func receive(from stream: EventStreamClient, upTo type: String) throws -> [String] {
        var changes: [String] = []
        while let event = try stream.next() {
            if let change = try apply(event) { changes.append(change) }
            if event.type == type { return changes }
        }
        throw TestFailure("the stream ended without \(type)")
    }

    /// Receives what it lacks over a connection of its own, and returns it as `receive` does.
    @discardableResult
    mutating func catchUp(_ address: SocketAddress) throws -> [String] {
        let stream = try open(address)
        return try receive(from: stream, upTo: "ready")
    }

    /// Follows until this many bytes of the body have arrived, or the client has caught up.
    mutating func follow(_ address: SocketAddress, cutAfter limit: Int) throws {
        let stream = try open(address, cutAfter: limit)
        while let event = try stream.next() {
            _ = try apply(event)
            if event.type == "ready" { return }
        }
    }

    private mutating func apply(_ event: EventStreamClient.Event) throws -> String? {
        token = event.id
        guard event.type == "change" else { return nil }
        let change = try SyncChange<Article>(mapping: Array(event.data.utf8))
        return switch change {
        case .putArticle(let article, let revision): put("article \(article.id)", revision)
        case .deleteArticle(let id, let revision): delete("article \(id)", revision)
        case .putAuthor(let author): put("author \(author.id)", author.revision)
        case .deleteAuthor(let id, let revision): delete("author \(id)", revision)
        case .putComment(let comment): put("comment \(comment.id)", comment.revision)
        case .deleteComment(let id, let revision): delete("comment \(id)", revision)
        case .putBookmark(let bookmark): put("bookmark \(bookmark.id)", bookmark.revision)
        case .deleteBookmark(let id, let revision): delete("bookmark \(id)", revision)
        case .unknown(let type): throw TestFailure("an unknown change: \(type)")
        }
    }

    private mutating func put(_ name: String, _ revision: Int) -> String {
        #expect(revision > received[name] ?? 0, "\(name)")
        received[name] = revision
        copy[name] = revision
        return "put \(name) \(revision)"
    }

    private mutating func delete(_ name: String, _ revision: Int) -> String {
        #expect(revision > received[name] ?? 0, "\(name)")
        received[name] = revision
        copy[name] = nil
        return "delete \(name) \(revision)"
    }

    /// Checks that the copy is what a new client would receive, and that its articles, if it
    /// follows these, are those of the list.
    func expectCurrent(_ client: TestClient) throws {
        var fields = HTTPFields()
        if let key { fields[.authorization] = "Bearer \(key)" }
        var snapshot: [String: Int] = [:]
        let more = query.isEmpty ? "" : "&\(query)"
        let page = try ChangePage<Article>(
            mapping: client.send(.get, "/v1/changes?limit=500\(more)", fields: fields).body)
        #expect(!page.more)
        for change in page.changes {
            switch change {
            case .putArticle(let article, let revision):
                snapshot["article \(article.id)"] = revision
            case .putAuthor(let author): snapshot["author \(author.id)"] = author.revision
            case .putComment(let comment): snapshot["comment \(comment.id)"] = comment.revision
            case .putBookmark(let bookmark): snapshot["bookmark \(bookmark.id)"] = bookmark.revision
            default: break
            }
        }
        #expect(copy == snapshot && token == page.next)
        guard query.isEmpty || query.contains("article,") else { return }
        var listed: [String: Int] = [:]
        var target: String? = "/v1/articles?limit=100"
        while let next = target {
            let list = try Page<Article>(
                mapping: client.send(.get, next, fields: fields).body)
            for article in list.items { listed["article \(article.id)"] = article.revision }
            target = list.next.map { "/v1/articles?limit=100&cursor=\($0)" }
        }
        #expect(things("article") == listed)
    }
}

/// A follower with an open stream.
struct Subscriber {
    private(set) var follower: StreamFollower
    let stream: EventStreamClient

    /// Opens a stream and receives what the follower lacks.
    init(_ follower: StreamFollower, at address: SocketAddress) throws {
        self.follower = follower
        stream = try follower.open(address)
        try self.follower.receive(from: stream, upTo: "ready")
    }

    /// The next changes, as ``StreamFollower`` returns them.
    mutating func receive(_ count: Int) throws -> [String] {
        try (0..<count).flatMap { _ in try follower.receive(from: stream, upTo: "change") }
    }

    /// Expects that the server ends the stream, without another change and with a time to return
    /// after.
    func expectEnd() throws {
        #expect(try stream.events() == [] && stream.isComplete)
        #expect((500..<1_500).contains(stream.retry ?? 0))
    }
}
