import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Testing

@testable import ArticleAccounts
@testable import ArticleServices

/// Sign-ins while the queue of passwords is full, or searches take all the time that they get.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct SignInQueueTests {
    /// Hashes that wait while the gate is closed.
    private final class Gate: Sendable {
        private let isClosed = Lock(false)
        private let semaphore = DispatchSemaphore(value: 0)

        func close() { isClosed.withLock { $0 = true } }

        func pass() { if isClosed.withLock({ $0 }) { semaphore.wait() } }

        /// Lets so many hashes pass that have begun, and all that begin from now on.
        func open(_ count: Int) {
            isClosed.withLock { $0 = false }
            for _ in 0..<count { semaphore.signal() }
        }
    }

    /// Signs in on a thread of its own, as sending blocks.
    private static func signIn(
        _ name: String, from address: String, in server: TestBackend,
        _ statuses: Lock<[String: Int]>
    ) {
        DispatchQueue(label: name).async {
            let response = try? server.sendSignIn(name, correctPassword, from: address)
            statuses.withLock { $0[name] = response?.status ?? 0 }
        }
    }

    /// Fills the queue with attempts from these addresses, one of each, and returns the statuses
    /// of those who then sign in: `mina`, from an address where she did so before, and `bora`.
    private static func statuses(
        filledFrom addresses: [String]
    ) async throws -> (mina: Int?, bora: Int?) {
        let gate = Gate()
        let hasher = try PasswordHasher(width: 1, depth: 16, cost: .least) {
            gate.pass()
        }
        let statuses = Lock<[String: Int]>([:])
        try await TestBackend.run(samples: false, hasher: hasher) { server in
            try server.addUser("mina")
            try server.addUser("bora")
            let home = "2001:db8:ffff::1"
            #expect(try server.sendSignIn("mina", correctPassword, from: home).status == 201)
            gate.close()
            Self.signIn("nobody", from: "2001:db8:dddd::1", in: server, statuses)
            // Without a running hash, the queue would have one place less for those that follow.
            #expect(await eventually { hasher.running == 1 })
            for (number, address) in addresses.enumerated() {
                Self.signIn("nobody\(number)", from: address, in: server, statuses)
                #expect(
                    await eventually {
                        hasher.waiting + statuses.withLock { $0.count } > number
                    })
            }
            #expect(hasher.waiting == 12 && hasher.running == 1)
            Self.signIn("mina", from: home, in: server, statuses)
            #expect(await eventually { hasher.waiting == 13 })
            let before = statuses.withLock { $0.count }
            Self.signIn("bora", from: "2001:db8:eeee::1", in: server, statuses)
            // It is rejected, or pushes out another one.
            #expect(await eventually { statuses.withLock { $0.count } > before })
            gate.open(1)
            #expect(await eventually { statuses.withLock { $0.count } == addresses.count + 3 })
        }
        return statuses.withLock { ($0["mina"], $0["bora"]) }
    }

    @Test func `one network cannot fill the queue for others`() async throws {
        let (mina, bora) = try await Self.statuses(
            filledFrom: (0..<40).map { "2001:db8:1:\(String($0 * 1_000, radix: 16))::1" })
        #expect(mina == 201 && bora == 201)
    }

    @Test func `many networks cannot keep out an address that has signed in before`()
        async throws
    {
        let (mina, bora) = try await Self.statuses(
            filledFrom: (0..<40).map { "2001:db8:\(String($0 + 1, radix: 16))::1" })
        #expect(mina == 201 && bora == 503)
    }

    @Test func `people sign in while searches of many strangers wait for each other`()
        async throws
    {
        let searches = 24
        let gate = DispatchSemaphore(value: 0)
        try await TestBackend.run { server in
            try server.addUser("mina")
            #expect(await eventually { (try? server.search("swift", from: nil)) == 200 })
            let workers = server.backend.store.workers
            // As many long searches as may run at a time; then all others wait.
            let begun = Counter()
            for number in 0..<StoreLimits().readers {
                let client = WorkerPool.Client(.anonymous, number: UInt64(number))
                workers.submit(for: WorkerPool.Demand(client, isHeavy: true, bytes: 0)) { _ in
                    begun.next()
                    gate.wait()
                }
            }
            // Heavy work leaves one thread for the rest. Until the others are taken, a search could
            // have one before its turn.
            #expect(await eventually { begun.value == StoreLimits().readers - 1 })
            // Nothing is read before all have waited: no thread is needed for each.
            let strangers = try (1...searches).map { number in
                let stranger = try RawConnection(server.address)
                try stranger.send(
                    "GET /v1/search?limit=100&q=a\(number) HTTP/1.1\r\nHost: localhost\r\n"
                        + "X-Forwarded-For: 2001:db8:\(number)::1\r\n\r\n")
                return stranger
            }
            #expect(await eventually { workers.waiting > searches })
            #expect(try server.sendSignIn("mina", correctPassword).status == 201)
            #expect(workers.waiting > searches)
            for _ in 0..<StoreLimits().readers { gate.signal() }
            for stranger in strangers { #expect(try stranger.response().status == 200) }
        }
    }
}

extension TestBackend {
    /// Searches from an address, and returns the status.
    fileprivate func search(_ text: String, from address: String?) throws -> Int {
        var fields = HTTPFields()
        if let address { fields.append(.xForwardedFor, address) }
        return try send("GET /v1/search?limit=100&q=\(text)", with: fields).status
    }
}
