import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

/// Webhooks of two servers over one database, of which one calls them.
@Suite(.mayBlock, .enabled(if: PostgresServer.isInstalled, "PostgreSQL is not installed"))
struct NodeWebhookTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try write("the-secret-of-the-webhooks-of-two-servers\n", to: folder.file("secret"))
    }

    /// Two servers, of which the first one leads.
    private func cluster(_ url: String) throws -> NodeCluster {
        try NodeCluster(2, ["--webhook", url, "--webhook-secret-file", folder.file("secret")])
    }

    private func create(_ number: Int, on served: RunningServer) throws {
        let response = try served.send(
            .post, "/v1/articles", #"{"title":"T\#(number)","status":"published"}"#)
        #expect(response.status == 201, "\(response.text)")
    }

    /// The numbers of the articles in all batches so far.
    private func numbers(_ inbox: WebhookInbox) -> [Int] {
        inbox.texts().flatMap { text in
            text.split(separator: #""title":"T"#).dropFirst()
                .compactMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    /// Waits until the receiver has the article, and the leader knows that it has everything.
    private func waitForDelivery(
        of number: Int, to inbox: WebhookInbox, by leader: RunningServer
    ) async throws {
        guard await eventually({ numbers(inbox).last == number }) else {
            throw TestFailure("\(number) was not delivered: \(numbers(inbox))")
        }
        let hasConfirmed = await eventually {
            let statistics = try? leader.send(.get, "/v1/admin/statistics")
            return statistics?.text.contains(#""pendingChanges":0"#) == true
        }
        #expect(hasConfirmed)
    }

    @Test func `each change is delivered once and in order, also after the leader was stopped`()
        async throws
    {
        try await WebhookInbox.receiving { inbox, url in
            let cluster = try cluster(url)
            for number in 0..<20 { try create(number, on: cluster.served(number % 2)) }
            try await waitForDelivery(of: 19, to: inbox, by: cluster.served(0))
            #expect(cluster.served(0).stop() == 0)
            for number in 20..<40 { try create(number, on: cluster.served(1)) }
            try await waitForDelivery(of: 39, to: inbox, by: cluster.served(1))
            #expect(cluster.served(1).stop() == 0)
            #expect(numbers(inbox) == Array(0..<40))
        }
    }

    /// Within two seconds, where nothing else keeps the machine busy (`make faults`).
    @Test func `two seconds after the leader was killed, only what was in flight comes twice`()
        async throws
    {
        try await WebhookInbox.receiving { inbox, url in
            let cluster = try cluster(url)
            let other = cluster.served(1)
            try create(0, on: other)
            try await waitForDelivery(of: 0, to: inbox, by: cluster.served(0))
            inbox.respond(nil)
            try create(1, on: other)
            try await inbox.waitForRequests(2)
            inbox.respond("200 OK")
            cluster.kill(0)
            let time = ContinuousClock.now
            try await inbox.waitForRequests(3)
            if Thoroughness.isFull { #expect(time.duration(to: .now) < .seconds(2)) }
            for number in 2..<10 { try create(number, on: other) }
            try await waitForDelivery(of: 9, to: inbox, by: other)
            #expect(other.stop() == 0)
            #expect(numbers(inbox) == [0, 1] + Array(1..<10))
        }
    }

    @Test func `a leader that was frozen repeats nothing of what another one has delivered`()
        async throws
    {
        try await WebhookInbox.receiving { inbox, url in
            let cluster = try cluster(url)
            let (frozen, other) = (cluster.served(0), cluster.served(1))
            try create(0, on: other)
            try await waitForDelivery(of: 0, to: inbox, by: frozen)
            let thaw = Signal()
            inbox.respond(after: thaw)
            try create(1, on: other)
            try await inbox.waitForRequests(2)
            inbox.respond(after: nil)
            frozen.program.signal(SIGSTOP)
            for number in 2..<5 { try create(number, on: other) }
            try await waitForDelivery(of: 4, to: inbox, by: other)
            // Its batch is confirmed only now, and it must not note that.
            thaw.give()
            frozen.program.signal(SIGCONT)
            let hasConfirmed = await eventually {
                let statistics = try? frozen.send(.get, "/v1/admin/statistics")
                return statistics?.text.contains(#""delivered":2"#) == true
            }
            #expect(hasConfirmed)
            try create(5, on: frozen)
            try await waitForDelivery(of: 5, to: inbox, by: other)
            #expect(other.stop() == 0)
            try create(6, on: frozen)
            try await waitForDelivery(of: 6, to: inbox, by: frozen)
            #expect(frozen.stop() == 0)
            #expect(numbers(inbox) == [0, 1, 1, 2, 3, 4, 5, 6])
        }
    }
}
