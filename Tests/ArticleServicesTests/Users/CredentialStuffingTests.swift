import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Dispatch
import Testing

@testable import ArticleAccounts
@testable import ArticleServices

/// Many addresses that try passwords for many names.
@Suite(.timeLimit(.minutes(Patience.minutes)))
struct CredentialStuffingTests {
    /// Sends attempts of many addresses over one connection, as from a proxy.
    private struct Attackers {
        /// Ten times as many with all faults.
        static let addresses = 0..<(Thoroughness.isFull ? 1_000 : 100)
        private let connection: RawConnection

        init(_ server: TestBackend) throws { connection = try RawConnection(server.address) }

        /// Tries a wrong password from an address; returns the status.
        func attempt(_ name: String, from address: Int) throws -> Int {
            let json = #"{"name":"\#(name)","password":"incorrect"}"#
            let lines = [
                "POST /v1/sessions HTTP/1.1", "Host: localhost", "Content-Type: application/json",
                "X-Forwarded-For: 198.18.\(address / 250).\(address % 250 + 1)",
                "X-Forwarded-Proto: https", "Content-Length: \(json.utf8.count)",
            ]
            try connection.send(lines.joined(separator: "\r\n") + "\r\n\r\n" + json)
            return try connection.response(to: .post).status
        }

        /// An attempt for this name from each address.
        func attemptAll(_ name: String) throws {
            for address in Self.addresses { _ = try attempt(name, from: address) }
        }
    }

    @Test func `guessing from many addresses fills no memory and locks nobody out`()
        async throws
    {
        // Fewer than there are names and addresses.
        let entries = Thoroughness.isFull ? 1_024 : 128
        try await TestBackend.run(samples: false, throttleEntries: entries) { server in
            try server.addUser("mina")
            let attackers = try Attackers(server)
            var statuses = Set<Int>()
            let count = Attackers.addresses.count * 3 / 10
            for address in Attackers.addresses {
                let names = ["n-\(address % count)", "n-\(address * 7 % count)", "mina"]
                for name in names {
                    statuses.insert(try attackers.attempt(name, from: address))
                }
            }
            #expect(statuses == [401, 429])
            #expect(server.throttle.count <= entries)

            // From a new address, the right password may have to wait after a wrong one, but no
            // longer than the response says, whatever is attempted meanwhile.
            let address = "203.0.113.7"
            var limited = try server.sendSignIn("mina", "incorrect", from: address)
            if limited.status == 401 {
                limited = try server.sendSignIn("mina", correctPassword, from: address)
            }
            #expect(limited.summary == "429 too-many-requests")
            let seconds = try #require(limited.fields[.retryAfter].flatMap { Int64($0) })
            #expect((1...900).contains(seconds))
            server.pass(milliseconds: seconds * 1_000)
            try attackers.attemptAll("mina")
            let taken = try server.sendSignIn("mina", correctPassword, from: address)
            #expect(taken.summary == "201")

            // From now on, the address does not wait for others.
            try attackers.attemptAll("mina")
            let session = try server.signIn("mina", from: address)
            #expect(try server.send("GET /v1/me", in: session).summary == "200")
            #expect(try server.send("GET /v1/articles").summary == "200")
            #expect(server.throttle.count <= entries)
        }
    }

    @Test func `a full queue of passwords is rejected with 503, and other requests are served`()
        async throws
    {
        let gate = Gate()
        // One of the places is for addresses that have signed in before.
        let hasher = try PasswordHasher(width: 1, depth: 5, cost: .least) { gate.pass() }
        try await TestBackend.run(samples: false, hasher: hasher) { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            gate.close()
            try await withThrowingTaskGroup(of: BackendResponse.self) { group in
                defer { gate.open() }
                for number in 1...20 {
                    group.addTask {
                        try server.sendSignIn(
                            "n-\(number)", "incorrect", from: "198.18.0.\(number)")
                    }
                }
                // One is hashed and four wait; which ones does not matter.
                for _ in 0..<15 {
                    let rejected = try #require(try await group.next())
                    #expect(rejected.status == 503 && rejected.fields[.retryAfter] == "1")
                }
                #expect(await eventually { hasher.running == 1 && hasher.waiting == 4 })
                #expect(try server.send("GET /v1/me", in: session).summary == "200")
                #expect(try server.send("GET /v1/articles").summary == "200")
                gate.open()
                for _ in 0..<5 {
                    let wrong = try #require(try await group.next())
                    #expect(wrong.summary == "401 unauthenticated")
                }
            }
            _ = try server.signIn("mina")
        }
    }
}

/// Holds threads while it is closed.
private final class Gate: Sendable {
    private let barrier = Lock<DispatchSemaphore?>(nil)

    func close() { barrier.withLock { $0 = DispatchSemaphore(value: 0) } }

    func open() { barrier.withLock { $0.take() }?.signal() }

    func pass() {
        let barrier = barrier.withLock { $0 }
        barrier?.wait()
        // The next one may go, too.
        barrier?.signal()
    }
}
