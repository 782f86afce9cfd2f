import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetTestDatabases
import BroadsheetTestSupport
import Testing

/// Renewals by an owner who loses responses, and by a thief who has a copy of the tokens, on two
/// nodes that share a database.
@Suite struct RenewalModelTests {
    private static let engines = PostgresServer.isInstalled ? ["file", "schema"] : ["file"]
    private static let second: Int64 = 1_000
    private static let day: Int64 = 24 * 3_600_000

    private static func with(
        _ engine: String, _ body: (RenewalNodes) async throws -> Void
    ) async throws {
        let nodes = try await RenewalNodes(engine == "file" ? .file() : .schema())
        do { try await body(nodes) } catch {
            await nodes.close()
            throw error
        }
        await nodes.close()
    }

    // MARK: Schedules

    @Test(arguments: engines)
    func `the second of two holders of a token ends the session, whoever renews first`(
        _ engine: String
    ) async throws {
        try await Self.with(engine) { nodes in
            for wait in [5 * Self.second + 1, 70 * Self.second, 3 * Self.day, -3 * Self.day] {
                for (second, restarts) in [(0, false), (1, false), (1, true)] {
                    // The thief copies the tokens of a session that was renewed before, too.
                    for earlier in 0...1 {
                        var tokens = try await nodes.signIn()
                        if earlier == 1 {
                            tokens = try #require(try await nodes.renew(tokens, on: 1))
                            #expect(try await nodes.use(tokens, on: 1))
                        }
                        let first = try #require(try await nodes.renew(tokens, on: 0))
                        #expect(try await nodes.use(first, on: 0))
                        if restarts { try await nodes.restartAll() }
                        nodes.clock.advance(milliseconds: wait)
                        #expect(try await nodes.renew(tokens, on: second) == nil)
                        #expect(try await !nodes.use(first, on: 0))
                        #expect(try await nodes.renew(first, on: 0) == nil)
                    }
                }
            }
        }
    }

    @Test(arguments: engines)
    func `two holders who renew by turns are found with the first renewal after a use`(
        _ engine: String
    ) async throws {
        try await Self.with(engine) { nodes in
            let tokens = try await nodes.signIn()
            var first = try #require(try await nodes.renew(tokens, on: 0))
            var other = try #require(try await nodes.renew(tokens, on: 1))
            for _ in 1...3 {
                // Neither has used them yet, so they cannot be told from one that lost a response.
                #expect(first.refresh == other.refresh)
                #expect(try await nodes.use(other, on: 1))
                #expect(try await nodes.use(first, on: 0))
                nodes.clock.advance(milliseconds: Self.day)
                let last = other
                first = try #require(try await nodes.renew(first, on: 0))
                other = try #require(try await nodes.renew(last, on: 1))
            }
            let last = first
            #expect(try await nodes.use(first, on: 0))
            first = try #require(try await nodes.renew(last, on: 0))
            #expect(try await nodes.use(first, on: 0))
            nodes.clock.advance(milliseconds: 5 * Self.second + 1)
            #expect(try await nodes.renew(other, on: 1) == nil)
            #expect(try await !nodes.use(first, on: 0))
        }
    }

    // MARK: Random histories

    /// The state of a history: the rule's, the clients', and what each of them has done.
    private struct History {
        let nodes: RenewalNodes
        var model: RenewalModel
        /// The owner's tokens, and the thief's.
        var held: [HeldTokens?]
        /// All that were issued, by number.
        var issued: [HeldTokens]
        /// By client: the highest number of tokens with which it was served.
        var served = [0, 0]
        /// By number: when an access token was first used.
        var firstUses: [Int: Timestamp] = [:]
        var repeated = 0
        var found = 0

        var now: Timestamp { nodes.clock.now }
        var hasThief: Bool { held[1] != nil }

        /// Renews the client's tokens, of which it may lose the response.
        mutating func renew(_ client: Int, on node: Int, losesResponse: Bool) async throws {
            guard let tokens = held[client] else { return }
            let (wasOver, isFound, newest) = (model.isOver, mustBeFound(client), model.newest)
            let number = model.renew(tokens.number, at: now)
            var renewed = try await nodes.renew(tokens, on: node)
            #expect((renewed != nil) == (number != nil))
            guard let number, renewed != nil else {
                // Without a thief, nobody has to sign in again.
                #expect(hasThief)
                if isFound, !wasOver { found += 1 }
                return
            }
            #expect(!isFound)
            renewed?.number = number
            if number == newest {
                repeated += 1
                issued[number].expiresAt = model.accessEnd
            } else {
                issued.append(try #require(renewed))
            }
            // The same tokens each time, with the expiry by the rule.
            #expect(renewed == issued[number] && renewed?.expiresAt == model.accessEnd)
            if !losesResponse { held[client] = renewed }
            served[client] = max(served[client], tokens.number)
        }

        /// Returns true if the client presents a token after the other one has used what replaced
        /// it, so that the session must end now at the latest.
        private func mustBeFound(_ client: Int) -> Bool {
            guard let number = held[client]?.number, served[1 - client] > number else {
                return false
            }
            // Its successor was exchanged, or is in use for longer than processes may share it.
            guard number + 1 == model.newest, let use = firstUses[number + 1] else {
                return number + 1 < model.newest
            }
            return abs(now.milliseconds - use.milliseconds) > 5_000
        }

        mutating func use(_ client: Int, on node: Int) async throws {
            guard let tokens = held[client] else { return }
            let isAccepted = model.use(tokens.number, at: now)
            #expect(try await nodes.use(tokens, on: node) == isAccepted)
            guard isAccepted else { return }
            served[client] = max(served[client], tokens.number)
            firstUses[tokens.number] = firstUses[tokens.number] ?? now
        }
    }

    private static let moves: [Int64] = [
        1, 1, second, 5 * second - 1, 2, 5 * second + 1, 70 * second, 16 * 60 * second, 3 * day,
        -second, -6 * second, -3 * day,
    ]

    @Test(arguments: engines)
    func `every history of an owner and a thief follows the rule`(_ engine: String) async throws {
        let seeds: UInt64 = engine == "file" ? 300 : 40
        try await Self.with(engine) { nodes in
            var (repeated, found) = (0, 0)
            for seed in 1...seeds {
                var random = SplitMix64(seed: seed)
                let tokens = try await nodes.signIn()
                var history = History(
                    nodes: nodes, model: RenewalModel(at: nodes.clock.now), held: [tokens, nil],
                    issued: [tokens])
                let theft = Int.random(in: 0...40, using: &random)
                for step in 0..<30 {
                    if step == theft { history.held[1] = history.held[0] }
                    let client = Int.random(in: 0...1, using: &random)
                    let node = Int.random(in: 0...1, using: &random)
                    switch Int.random(in: 0..<20, using: &random) {
                    case 0..<7:
                        let loses = Int.random(in: 0..<3, using: &random) == 0
                        try await history.renew(client, on: node, losesResponse: loses)
                    case 7..<14: try await history.use(client, on: node)
                    case 14: try await nodes.restart(node)
                    default:
                        let move = Self.moves.randomElement(using: &random) ?? 0
                        nodes.clock.advance(milliseconds: move)
                    }
                }
                repeated += history.repeated
                found += history.found
            }
            // The histories contain what they are about.
            #expect(repeated > Int(seeds) / 4 && found > Int(seeds) / 20)
        }
    }
}
