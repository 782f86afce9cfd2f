import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

/// Several servers over one database.
@Suite(.mayBlock, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct NodesTests {
    private static let after = "Broadsheet-After"

    private static func sequence(of response: ReceivedResponse) throws -> String {
        try #require(response.fields[.broadsheetSequence])
    }

    /// A read that waits for a write.
    private static func get(
        _ target: String, from served: RunningServer, after sequence: String, key: String? = nil
    ) throws -> ReceivedResponse {
        var fields: HTTPFields = [.broadsheetAfter: sequence]
        if let key { fields[.authorization] = "Bearer \(key)" }
        return try served.client.send(.get, target, fields: fields)
    }

    @Test func `everybody reads their own writes on any node`() throws {
        let cluster = try NodeCluster(3)
        for number in 0..<15 {
            let written = try cluster.served(number % 3).send(
                .post, "/v1/articles", #"{"title":"T\#(number)","status":"published"}"#)
            #expect(written.status == 201)
            for other in 0..<3 {
                // From the cache, had it been asked before.
                let read = try Self.get(
                    "/v1/articles?limit=1", from: cluster.served(other),
                    after: Self.sequence(of: written))
                #expect(read.status == 200 && read.text.contains(#""title":"T\#(number)""#))
            }
        }
        cluster.stop()
    }

    @Test func `a sequence that is not one is rejected, and one of another database is not`()
        throws
    {
        let folder = try TemporaryFolder()
        let (first, second) = (
            try RunningServer(folder.file("a.db")), try RunningServer(folder.file("b.db"))
        )
        let written = try first.send(.post, "/v1/articles", #"{"title":"T"}"#)
        let sequence = try Self.sequence(of: written)
        #expect(try Self.get("/v1/articles", from: first, after: sequence).status == 200)
        #expect(try Self.get("/v1/articles", from: second, after: sequence).status == 200)
        let rejected = try Self.get("/v1/articles?limit=7", from: first, after: "a b")
        #expect(rejected.status == 400 && rejected.text.contains(Self.after))
        #expect(try first.client.get("/v1/articles").fields[.broadsheetSequence] == nil)
        let failed = try first.send(.post, "/v1/articles", "{}")
        #expect(failed.status >= 400 && failed.fields[.broadsheetSequence] == nil)
        #expect(first.stop() == 0 && second.stop() == 0)
    }

    @Test func `a key that a command creates and revokes is valid and invalid on all nodes`()
        async throws
    {
        let cluster = try NodeCluster(2)
        let created = try cluster.run("key", "create", "--name", "app", "--role", "reader")
        let key = try #require(created.output.first { $0.hasPrefix("bsk_") }, "\(created)")
        let fields: HTTPFields = [.authorization: "Bearer \(key)"]
        let statuses = {
            (0..<2).map { number in
                let client = cluster.served(number).client
                // The second one is served from the cache, if the key is still valid.
                return (0..<2).map { _ in
                    (try? client.send(.get, "/v1/articles", fields: fields).status) ?? 0
                }
            }
        }
        #expect(await eventually { statuses() == [[200, 200], [200, 200]] })
        let id = String(key.dropFirst(4).prefix(16))
        #expect(try cluster.run("key", "revoke", id).status == 0)
        #expect(await eventually { statuses() == [[401, 401], [401, 401]] })
        cluster.stop()
    }

    @Test func `a stream of one node has what another one writes`() throws {
        let cluster = try NodeCluster(2)
        var follower = StreamFollower()
        let stream = try follower.open(cluster.served(1).addresses[0])
        try follower.receive(from: stream, upTo: "ready")
        for number in 1...5 {
            let written = try cluster.served(0).send(
                .post, "/v1/articles", #"{"title":"T\#(number)","status":"published"}"#)
            #expect(written.status == 201)
            #expect(try follower.receive(from: stream, upTo: "change").count == 1)
        }
        cluster.stop()
    }

    @Test func `a node that was stopped serves nothing older than a second`() throws {
        let cluster = try NodeCluster(2)
        let (here, there) = (cluster.served(0), cluster.served(1))
        // From now on in the cache.
        for _ in 0..<3 { #expect(try there.client.get("/v1/articles").status == 200) }
        try cluster.pause(1) {
            let written = try here.send(
                .post, "/v1/articles", #"{"title":"Rye","status":"published"}"#)
            #expect(written.status == 201)
            // More than a second passes until the next request.
            let end = ContinuousClock.now + .milliseconds(1_200)
            while ContinuousClock.now < end {
                #expect(try here.client.get("/livez").status == 200)
            }
        }
        let read = try there.client.get("/v1/articles")
        #expect(read.status == 503 || read.text.contains("Rye"), "\(read.status) \(read.text)")
        cluster.stop()
    }

    @Test func `when the leader dies, another node publishes what is due`() async throws {
        let cluster = try NodeCluster(2)
        let time = Timestamp(milliseconds: SystemClock.wallNanoseconds / 1_000_000 + 3_000)
        let scheduled = try cluster.served(1).send(
            .post, "/v1/articles",
            #"{"title":"Rye","status":"scheduled","publishedAt":"\#(time)"}"#)
        #expect(scheduled.status == 201, "\(scheduled.text)")
        cluster.kill(0)
        #expect(
            await eventually {
                (try? cluster.served(1).client.get("/v1/articles").text.contains("Rye")) == true
            })
        #expect(try cluster.served(1).client.get("/readyz").status == 200)
        cluster.stop()
    }
}
