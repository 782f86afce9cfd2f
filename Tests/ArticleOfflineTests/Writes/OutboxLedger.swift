import ArticleAPI
import ArticleOffline

/// The writes of users, and their outcomes. Each edit of an attribute sets a value that occurs
/// nowhere else, its token, so that it can be followed through merges.
struct OutboxLedger {
    private struct Token {
        var attribute: String
        var account: String
        var article: Article.ID
        /// The tokens in the article as the user saw it.
        var seen: Set<Int>
        var isWritten = false
        /// True if the same user later wrote over it, or took it back.
        var isSuperseded = false
        /// True if the user decided about it, so that it may be carried out twice.
        var isDecided = false
    }

    private struct Deletion: Hashable {
        var account: String
        var article: Article.ID
    }

    private var tokens: [Token] = []
    /// The deletions by users who have not decided anything else about the article since.
    private var deletions: Set<Deletion> = []
    private(set) var faults: [String] = []

    mutating func check(_ isTrue: Bool, _ fault: @autoclosure () -> String) {
        if !isTrue { faults.append(fault()) }
    }

    mutating func token(
        _ attribute: String, _ account: String, _ id: Article.ID, seeing shown: Article? = nil
    ) -> String {
        let shown = shown.map { Self.tokens(in: $0.json()) } ?? []
        // Users who write over an edit of their own have also seen what that one has replaced.
        let seen = Set(
            shown
                + shown.filter { tokens[$0].account == account }.flatMap {
                    tokens[$0].seen
                })
        tokens.append(Token(attribute: attribute, account: account, article: id, seen: seen))
        return "w\(tokens.count - 1)-"
    }

    /// The tokens in a text, in any order.
    private static func tokens(in bytes: [UInt8]) -> [Int] {
        var found: [Int] = []
        var number: Int?
        // Invariant: `number` is that of the digits since the last `w`, if there is nothing else.
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "w"): number = 0
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                number = number.map { $0 * 10 + Int(byte - 48) }
            case UInt8(ascii: "-"):
                if let number { found.append(number) }
                number = nil
            default: number = nil
            }
        }
        return found
    }

    mutating func wrote(_ write: PendingWrite, to id: Article.ID, by account: String) {
        let new = Self.tokens(in: write.json())
        for token in new { tokens[token].isWritten = true }
        if write == .delete { deletions.insert(Deletion(account: account, article: id)) }
        for index in tokens.indices
        where tokens[index].article == id && tokens[index].account == account
            && !new.contains(index)
        {
            let isCovered = new.contains { tokens[$0].attribute == tokens[index].attribute }
            if write == .delete || isCovered { tokens[index].isSuperseded = true }
        }
    }

    /// The user gave up these writes.
    mutating func dropped(_ entries: [OutboxEntry]) {
        for entry in entries {
            deletions.remove(Deletion(account: entry.account, article: entry.edited))
            for token in Self.tokens(in: entry.write.json()) { tokens[token].isSuperseded = true }
        }
    }

    /// The user decided that this entry is sent, maybe as an article with another id.
    mutating func decided(_ entry: OutboxEntry) {
        for token in Self.tokens(in: entry.write.json()) {
            tokens[token].isDecided = true
            tokens[token].seen.formUnion(Self.tokens(in: entry.base?.json() ?? []))
            if tokens[token].account == entry.account { tokens[token].article = entry.edited }
        }
    }

    /// Returns the faults in the end.
    func faults(
        _ backend: SimulatedBackend, _ clients: [OutboxSchedule.Client]
    ) -> [String] {
        var faults = faults + backend.reusedKeys.map { "the key \($0) is used twice" }
        var times = Array(repeating: 0, count: tokens.count)
        var latest: [String: Int] = [:]
        for applied in backend.applied {
            for token in Self.tokens(in: applied.write.json()) where !tokens[token].isDecided {
                times[token] += 1
                if tokens[token].account != applied.account {
                    faults.append("\(applied.account) sent w\(token), which another user wrote")
                }
                let place = "\(applied.account) \(applied.article) \(tokens[token].attribute)"
                if token < latest[place, default: -1] { faults.append("w\(token) came late") }
                latest[place] = token
            }
        }
        for (token, count) in times.enumerated() where count > 1 {
            faults.append("w\(token) was carried out \(count) times")
        }
        faults += overwritten(backend.applied) + undeleted(backend, clients)
        let carriedOut = Set(backend.applied.flatMap { Self.tokens(in: $0.write.json()) })
        let waiting = clients.flatMap(\.queue.entries)
        let visible = Set(waiting.flatMap { Self.tokens(in: $0.write.json()) })
        for (index, token) in tokens.enumerated()
        where token.isWritten && !token.isSuperseded && !carriedOut.contains(index)
            && !visible.contains(index)
        {
            faults.append("w\(index) of \(token.account) was lost")
        }
        for client in clients {
            let stuck = client.queue.entries.filter { $0.status == .sending }
            if !stuck.isEmpty { faults.append("\(client.account) still sends \(stuck.count)") }
            if client.rows
                != Dictionary(
                    uniqueKeysWithValues: client.queue.entries.map { ($0.number, $0) })
            {
                faults.append("what \(client.account) has stored is not what is in memory")
            }
        }
        return faults
    }

    /// Edits by others that a write has overwritten although its user neither saw them nor decided.
    private func overwritten(_ applied: [SimulatedBackend.Applied]) -> [String] {
        applied.flatMap { applied -> [String] in
            let before = Self.tokens(in: applied.before?.json() ?? []).filter {
                tokens[$0].account != applied.account
            }
            return Self.tokens(in: applied.write.json()).flatMap { token in
                before.filter { other in
                    !tokens[token].isDecided && !tokens[token].seen.contains(other)
                        && tokens[other].attribute == tokens[token].attribute
                }.map { "w\(token) has overwritten w\($0) unseen" }
            }
        }
    }

    /// Deletions that are neither carried out nor to be seen in an outbox.
    private func undeleted(
        _ backend: SimulatedBackend, _ clients: [OutboxSchedule.Client]
    ) -> [String] {
        let waiting = Set(
            clients.flatMap(\.queue.entries).map {
                Deletion(account: $0.account, article: $0.edited)
            })
        return deletions.filter { deletion in
            backend.articles[deletion.article] != nil && !waiting.contains(deletion)
        }.map { "the deletion of \($0.article) by \($0.account) was lost" }
    }
}
