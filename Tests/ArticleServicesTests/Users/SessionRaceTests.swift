import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Dispatch
import Testing

@testable import ArticleServices

/// Sessions under concurrent requests, in the order that a seed gives them.
@Suite struct SessionRaceTests {
    /// The statuses and bodies of requests that are sent at the same time.
    private static func together(
        _ count: Int, _ request: @Sendable (Int) throws -> BackendResponse
    ) throws -> [BackendResponse] {
        let responses = Lock([(Int, BackendResponse)]())
        DispatchQueue.concurrentPerform(iterations: count) { index in
            guard let response = try? request(index) else { return }
            responses.withLock { $0.append((index, response)) }
        }
        let all = responses.withLock { $0.sorted { $0.0 < $1.0 } }
        try #require(all.count == count)
        return all.map(\.1)
    }

    @Test func `twenty clients that renew one token get the same new tokens`() async throws {
        try await TestBackend.run(samples: false) { server in
            try server.addUser("mina")
            let session = try server.signIn("mina")
            let responses = try Self.together(20) { _ in try server.refresh(session) }
            #expect(responses.allSatisfy { $0.status == 200 })
            let renewed = Set(responses.map(\.text))
            #expect(renewed.count == 1)
            let next = try UserSession(mapping: responses[0].body)
            #expect(try server.send("GET /v1/me", in: next).status == 200)
            let list = try server.send("GET /v1/me/sessions", in: next)
            #expect(try Page<DeviceSession>(mapping: list.body).items.count == 1)
        }
    }

    @Test(arguments: 1...8)
    func `a session that was signed out is not renewed`(seed: UInt64) async throws {
        try await TestBackend.run(samples: false) { server in
            var random = SplitMix64(seed: seed)
            try server.addUser("mina")
            for _ in 1...5 {
                let session = try server.signIn("mina")
                let signOut = Int.random(in: 0..<4, using: &random)
                let responses = try Self.together(4) { index in
                    index == signOut
                        ? try server.send("DELETE /v1/sessions/current", in: session)
                        : try server.refresh(session)
                }
                guard responses[signOut].status == 204 else {
                    // The token was renewed first, so the sign-out had an old one.
                    #expect(responses[signOut].status == 401)
                    continue
                }
                for response in responses where response.status == 200 {
                    let renewed = try UserSession(mapping: response.body)
                    #expect(try server.send("GET /v1/me", in: renewed).status == 401)
                    #expect(try server.refresh(renewed).status == 401)
                }
            }
        }
    }

    @Test(arguments: ["role", "password", "disabled", "deleted"])
    func `no request is served after access was revoked, however many are on their way`(
        change: String
    ) async throws {
        try await TestBackend.run { server in
            let user = try server.addUser("mina")
            let session = try server.signIn("mina")
            let (isOver, late, sent) = (Lock(false), Lock([Int]()), Lock(0))
            let target = "/v1/users/\(user.id)"
            let (line, json): (String, String?) =
                switch change {
                case "role": ("PATCH \(target)", #"{"role":"author"}"#)
                case "password": ("PATCH \(target)", #"{"password":"battery staple"}"#)
                case "disabled": ("PATCH \(target)", #"{"disabled":true}"#)
                default: ("DELETE \(target)", nil)
                }
            DispatchQueue.concurrentPerform(iterations: 8) { index in
                // Half of them read what is cached for readers.
                let read = index % 2 == 0 ? "GET /v1/me" : "GET /v1/articles/\(Samples.bread)"
                var rounds = 0
                while rounds < 20 {
                    let wasOver = isOver.withLock { $0 }
                    guard let status = try? server.send(read, in: session).status else { return }
                    if wasOver {
                        late.withLock { $0.append(status) }
                        rounds += 1
                    }
                    let number = sent.withLock { sent in
                        sent += 1
                        return sent
                    }
                    guard number == 40 else { continue }
                    _ = try? server.send(line, as: .admin, json)
                    isOver.withLock { $0 = true }
                }
            }
            let statuses = late.withLock { $0 }
            #expect(statuses.count == 160 && Set(statuses) == [401])
        }
    }
}
