import ArticleAPI
import ArticleDatabase
import ArticleStore
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestDatabases
import BroadsheetTestSupport

@testable import ArticleAccounts
@testable import ArticleServiceCore

/// A client's tokens of a session, with the number of renewals before them.
struct HeldTokens: Sendable, Hashable {
    var number: Int
    var access: String
    var refresh: String
    var expiresAt: Timestamp
}

/// Two nodes of one database, each with its own memory of verified tokens, and a clock.
///
/// In a file, both have one store, since it has one process; in PostgreSQL each has its own.
final class RenewalNodes {
    private struct Node {
        let store: any SQLStore
        let sessions: SessionCache
        let service: SessionService
    }

    /// It has nothing to do.
    private static let hasher = Result {
        try PasswordHasher(width: 1, depth: 1, cost: .least)
    }

    let clock = ManualClock(at: TestBackend.opening)
    private let database: CutDatabase
    private let user = UserRecord(
        id: User.ID(at: TestBackend.opening), name: "mina", nameKey: "mina", displayName: "Mina",
        role: "reader",
        passwordHash: "$", createdAt: TestBackend.opening)
    private var stores: [any SQLStore] = []
    private var nodes: [Node] = []
    /// The public id of the session.
    private var session = ""
    private let context = RequestContext(
        requestID: "test", peer: .v4([127, 0, 0, 1], port: 0), template: "/",
        parameters: PathParameters())

    init(_ database: CutDatabase) async throws {
        self.database = database
        try await open()
        try await nodes[0].store.createUser(user, using: nil, at: clock.now)
    }

    func close() async {
        for store in stores { await store.close() }
        (stores, nodes) = ([], [])
    }

    private func open() async throws {
        stores = [try database.open()]
        if case .schema = database { stores.append(try database.open()) }
        nodes = []
        for store in [stores[0], stores[stores.count - 1]] { nodes.append(try await node(store)) }
    }

    private func node(_ store: any SQLStore) async throws -> Node {
        let system = clock.system
        let sessions = SessionCache(store, system: system)
        let signIn = SignInService(
            store: store, hasher: try Self.hasher.get(),
            throttle: SignInThrottle(system: system), providers: nil,
            rules: SignUpRules(
                store: store, policy: .open, throttle: SignUpThrottle(perHour: 1, system: system),
                system: system),
            system: system)
        let service = SessionService(
            store: store,
            access: Authenticator(
                keys: KeyRing([], operatorKey: nil, system: system), sessions: sessions,
                system: system),
            signIn: signIn, secret: try await store.secret(named: "sessions"), system: system)
        return Node(store: store, sessions: sessions, service: service)
    }

    /// Ends the node's process: what it remembers is lost.
    func restart(_ index: Int) async throws {
        nodes[index] = try await node(nodes[index].store)
    }

    /// Ends both processes, and opens the database again.
    func restartAll() async throws {
        await close()
        try await open()
    }

    /// Begins a session, as a sign-in does.
    func signIn() async throws -> HeldTokens {
        let node = nodes[0]
        let tokens = SessionTokens(secret: node.service.secret, system: clock.system)
        let access = clock.now.advanced(byMilliseconds: 15 * 60_000)
        let record = SessionRecord(
            id: tokens.access.sessionID, user: user.id,
            tokens: TokenRecord(
                accessDigest: tokens.access.digest, refreshDigest: tokens.refresh.digest,
                accessExpiresAt: access,
                expiresAt: clock.now.advanced(byMilliseconds: RenewalModel.sessionMilliseconds)),
            device: "", address: "127.0.0.1", createdAt: clock.now)
        _ = try await node.store.createSession(record, expecting: 0)
        session = record.id
        return HeldTokens(
            number: 0, access: tokens.access.text, refresh: tokens.refresh.text,
            expiresAt: access)
    }

    /// Presents a refresh token; `nil` if it is rejected. The number of the response is not known.
    func renew(_ tokens: HeldTokens, on index: Int) async throws -> HeldTokens? {
        var renewed: HeldTokens?
        do throws(ServiceError) {
            let session = try await nodes[index].service.refresh(
                RefreshSessionRequest(refreshToken: tokens.refresh), by: .anonymous, in: context
            ).item
            renewed = HeldTokens(
                number: 0, access: session.accessToken, refresh: session.refreshToken,
                expiresAt: session.expiresAt)
        } catch { try Self.expectRejection(error) }
        // The other node follows within a second.
        nodes[1 - index].sessions.renewed(session)
        return renewed
    }

    /// Sends a request with an access token; false if it is rejected.
    func use(_ tokens: HeldTokens, on index: Int) async throws -> Bool {
        guard let token = AccessToken(tokens.access) else { throw TestFailure("no token") }
        do throws(ServiceError) {
            _ = try await nodes[index].sessions.principal(of: token, context)
            return true
        } catch {
            try Self.expectRejection(error)
            return false
        }
    }

    private static func expectRejection(_ error: ServiceError) throws {
        guard case .unauthenticated = error else { throw error }
    }
}

/// The rule for renewals, as the manual has it.
struct RenewalModel {
    static let sessionMilliseconds: Int64 = 60 * 24 * 3_600_000
    private static let accessMilliseconds: Int64 = 15 * 60_000

    private(set) var newest = 0
    /// The time at which the newest tokens came into use.
    private(set) var usedAt: Timestamp?
    private(set) var isOver = false
    private(set) var accessEnd: Timestamp
    private var sessionEnd: Timestamp

    init(at now: Timestamp) {
        accessEnd = now.advanced(byMilliseconds: Self.accessMilliseconds)
        sessionEnd = now.advanced(byMilliseconds: Self.sessionMilliseconds)
    }

    private mutating func extend(_ now: Timestamp) {
        accessEnd = now.advanced(byMilliseconds: Self.accessMilliseconds)
        sessionEnd = now.advanced(byMilliseconds: Self.sessionMilliseconds)
    }

    /// The number of the tokens that this refresh token gets; `nil` if it is rejected.
    mutating func renew(_ number: Int, at now: Timestamp) -> Int? {
        guard !isOver, now < sessionEnd else { return nil }
        if number == newest {
            newest += 1
            usedAt = nil
            extend(now)
            return newest
        }
        guard number == newest - 1 else {
            isOver = true
            return nil
        }
        if let usedAt {
            isOver = abs(now.milliseconds - usedAt.milliseconds) > 5_000
            return isOver ? nil : newest
        }
        if now >= accessEnd { extend(now) }
        return newest
    }

    /// Returns true if this access token is accepted.
    mutating func use(_ number: Int, at now: Timestamp) -> Bool {
        guard !isOver, number == newest, now < accessEnd else { return false }
        // Nothing precedes the first tokens.
        if number > 0 { usedAt = usedAt ?? now }
        return true
    }
}
