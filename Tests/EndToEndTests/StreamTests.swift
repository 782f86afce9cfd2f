import ArticleAPI
import BroadsheetHTTP
import BroadsheetTestSupport
import Glibc
import Testing

/// Followers of change streams: whatever interrupts them, each change arrives once and in order.
@Suite(.mayBlock) struct StreamTests {
    let folder: TemporaryFolder
    let database: String
    let socket: String

    init() throws {
        folder = try TemporaryFolder()
        database = folder.file("a.db")
        socket = "unix:" + folder.file("s.sock")
    }

    private func serve(_ more: String...) throws -> RunningServer {
        try RunningServer(database, listen: [socket], ["--samples"] + more)
    }

    private func publish(_ title: String, on served: RunningServer) throws {
        let response = try served.send(
            .post, "/v1/articles", #"{"title":"\#(title)","status":"published"}"#)
        #expect(response.status == 201)
    }

    @Test func `curl shows changes as they happen`() throws {
        let served = try RunningServer(database, ["--samples"])
        let url = "http://\(served.addresses[0])/v1/changes/stream?since=now&fields=title"
        let curl = try RunningProgram("/usr/bin/curl", ["-sN", url])
        #expect(curl.output.next() == "event: ready")
        #expect(curl.output.next()?.hasPrefix("id: ") == true)
        #expect(curl.output.next() == "data: {}")
        #expect(curl.output.next() == "")
        try publish("Live", on: served)
        #expect(curl.output.next() == "event: change")
        #expect(curl.output.next()?.hasPrefix("id: ") == true)
        #expect(curl.output.next()?.contains(#""title":"Live"}}"#) == true)
        // Other signals may be blocked in children of a test.
        curl.signal(SIGKILL)
        _ = curl.wait()
    }

    @Test func `a client that is cut off anywhere gets each change once and in order`() throws {
        let served = try serve()
        var random = SplitMix64(seed: 14)
        var follower = StreamFollower()
        for number in 0..<40 {
            let id = Article.ID(at: Timestamp(milliseconds: 1_800_000_000_000 + Int64(number)))
            let target = "/v1/articles/\(id)"
            let made = try served.send(
                .post, "/v1/articles",
                #"{"id":"\#(id)","title":"One","status":"published"}"#)
            #expect(made.status == 201)
            for title in ["Two", "Three"] where Bool.random(using: &random) {
                let patched = try served.send(
                    .patch, target, #"{"title":"\#(title)"}"#,
                    type: "application/merge-patch+json")
                #expect(patched.status == 200)
            }
            if number % 5 == 0 { #expect(try served.send(.delete, target).status == 204) }
            // Within the head, an event or after some of them.
            try follower.follow(
                served.addresses[0], cutAfter: Int.random(in: 0..<4_000, using: &random))
        }
        try follower.catchUp(served.addresses[0])
        try follower.expectCurrent(served.client)
        #expect(served.stop() == 0)
    }

    @Test func `comments and bookmarks come once and in order, too`() throws {
        let served = try serve()
        let article = Article.ID(at: Timestamp(milliseconds: 1_800_000_000_000))
        func send(
            _ method: HTTPMethod, _ target: String, _ json: String = "",
            key: String = RunningServer.adminKey
        ) throws -> ReceivedResponse {
            let response = try served.send(method, target, json, key: key)
            #expect(response.status < 300, "\(target): \(response.status)")
            return response
        }
        _ = try send(
            .post, "/v1/articles", #"{"id":"\#(article)","title":"One","status":"published"}"#)
        let ada = #"{"name":"ada","password":"correct horse"}"#
        _ = try send(.post, "/v1/users", ada)
        let key = try UserSession(mapping: send(.post, "/v1/sessions", ada).body).accessToken
        let thread = "/v1/articles/\(article)/comments"
        let bookmark = "/v1/me/bookmarks/\(article)"
        var random = SplitMix64(seed: 15)
        var reader = StreamFollower(query: "types=comment&article=\(article)")
        var user = StreamFollower(
            key: key, query: "types=article,comment,bookmark&article=\(article)")
        for number in 0..<9 {
            let made = try send(.post, thread, #"{"body":"No. \#(number)"}"#, key: key)
            let comment = try "/v1/comments/\(ArticleComment(mapping: made.body).id)"
            if number % 3 == 1 { _ = try send(.patch, comment, #"{"status":"hidden"}"#) }
            if number % 3 == 2 { _ = try send(.delete, comment, key: key) }
            _ = try send(.put, bookmark, #"{"position":0.\#(number)}"#, key: key)
            if number % 4 == 1 { _ = try send(.delete, bookmark, key: key) }
            let limits = (0..<2).map { _ in Int.random(in: 0..<2_000, using: &random) }
            try reader.follow(served.addresses[0], cutAfter: limits[0])
            try user.follow(served.addresses[0], cutAfter: limits[1])
        }
        let list = try Page<ArticleComment>(
            mapping: served.client.send(.get, "\(thread)?limit=100").body)
        let listed = Dictionary(
            uniqueKeysWithValues: list.items.map { ("comment \($0.id)", $0.revision) })
        for var follower in [reader, user] {
            try follower.catchUp(served.addresses[0])
            try follower.expectCurrent(served.client)
            #expect(follower.things("comment") == listed)
        }
        #expect(served.stop() == 0)
    }

    @Test func `a follower misses nothing when the server is upgraded`() async throws {
        let served = try serve()
        let reign = ReplacedServer(served, database)
        var follower = StreamFollower()
        for number in 0..<3 {
            let stream = try follower.open(served.addresses[0])
            try follower.receive(from: stream, upTo: "ready")
            try publish("Upgrade \(number)", on: served)
            try follower.receive(from: stream, upTo: "change")
            try reign.upgrade()
            // The stream ends as it should, with a time to return after.
            #expect(try stream.events() == [] && stream.isComplete)
            #expect((500..<1_500).contains(stream.retry ?? 0))
        }
        try follower.catchUp(served.addresses[0])
        try follower.expectCurrent(served.client)
        #expect(await reign.stop())
    }

    @Test func `a follower misses nothing when the server is killed`() throws {
        var follower = StreamFollower()
        for number in 0..<3 {
            let served = try serve()
            let stream = try follower.open(served.addresses[0])
            try follower.receive(from: stream, upTo: "ready")
            try publish("Before \(number)", on: served)
            try publish("And after \(number)", on: served)
            try follower.receive(from: stream, upTo: "change")
            served.program.signal(SIGKILL)
            _ = served.program.wait()
        }
        let served = try serve()
        try follower.catchUp(served.addresses[0])
        try follower.expectCurrent(served.client)
        #expect(served.stop() == 0)
    }

    @Test func `a client that does not read is disconnected when the server stops`() throws {
        let served = try serve("--write-timeout", "600")
        for number in 0..<20 { try publish("Number \(number)", on: served) }
        let deaf = try EventStreamClient(
            served.addresses[0], "/v1/changes/stream?fields=title,body", receiveBuffer: 1)
        #expect(deaf.head.status == .ok)
        // It ends long before the end of its grace period, which would be a failure.
        #expect(served.stop() == 0)
    }
}
