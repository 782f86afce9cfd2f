import ArticleAPI
import ArticleStore
import Testing

/// Compares copies that follow a store with what the store's lists show, for random histories.
struct SyncModel {
    private let store: any ArticleStore
    private let seed: UInt64
    /// True if deletions only concern subjects that a copy may have, however long an article's log
    /// is.
    private let isExact: Bool
    private var history: RandomHistory
    private var clients: [Client] = []
    /// Copies without a filter that follow every write.
    private var witnesses: [SyncCopy] = [SyncCopy(for: .everyone), SyncCopy(for: .editors)]

    private struct Client {
        var copy: SyncCopy
        /// Once in how many writes it requests a page.
        var pace = 3
        /// The articles that its list showed since it began.
        var listed: Set<Article.ID> = []
    }

    init(_ store: any ArticleStore, seed: UInt64, isExact: Bool = true) {
        self.store = store
        self.seed = seed
        self.isExact = isExact
        history = RandomHistory(seed: seed)
    }

    /// Each history has a few new clients, which begin and catch up at random times.
    mutating func run(histories: Int, writes: Int) async throws {
        for index in witnesses.indices { try await witnesses[index].catchUp(with: store) }
        try await meetUsers()
        for number in 0..<histories {
            let comment = Testing.Comment("seed \(seed), history \(number)")
            clients = (0..<3).map { _ in
                Client(copy: SyncCopy(history.query()), pace: 1 + history.below(12))
            }
            for _ in 0..<writes {
                try await write(comment)
                for index in clients.indices { try await advance(index, comment) }
            }
            for index in clients.indices {
                try await clients[index].copy.catchUp(with: store, limit: 1, comment)
                try await expectCurrent(index, comment)
            }
        }
    }

    /// Ends the copies of users who were deleted.
    private mutating func forgetUsers() {
        let known = [.everyone, .editors] + history.users.map { Audience.author($0.id) }
        witnesses.removeAll { !known.contains($0.query.audience) }
        clients.removeAll { !known.contains($0.copy.query.audience) }
    }

    /// Begins a copy for each new user.
    private mutating func meetUsers() async throws {
        for audience in history.users.map({ Audience.author($0.id) })
        where !witnesses.contains(where: { $0.query.audience == audience }) {
            var copy = SyncCopy(for: audience)
            try await copy.catchUp(with: store)
            try await copy.expectCurrent(in: store)
            witnesses.append(copy)
        }
    }

    /// Writes once. The position of a copy changes if, and only if, what it shows does.
    private mutating func write(_ comment: Testing.Comment) async throws {
        try await history.write(to: store)
        forgetUsers()
        for index in witnesses.indices {
            let before = witnesses[index]
            let first = try await witnesses[index].follow(store, comment)
            if !first.isLast { try await witnesses[index].catchUp(with: store, comment) }
            try await witnesses[index].expectCurrent(in: store, comment)
            let isSame = witnesses[index].contents == before.contents
            #expect((witnesses[index].position == before.position) == isSame, comment)
            if isSame { #expect(first.items.isEmpty && first.isLast, comment) }
        }
        try await meetUsers()
        for index in clients.indices {
            var copy = clients[index].copy
            if !isExact { copy.query.filter = ArticleFilter() }
            clients[index].listed.formUnion(try await copy.articles(in: store).map(\.id))
        }
    }

    /// Perhaps requests one small page.
    private mutating func advance(_ index: Int, _ comment: Testing.Comment) async throws {
        guard history.isTrue(in: clients[index].pace) else { return }
        let slice = try await clients[index].copy.follow(
            store, limit: 1 + history.below(3), comment)
        if slice.isLast { try await expectCurrent(index, comment) }
    }

    private func expectCurrent(_ index: Int, _ comment: Testing.Comment) async throws {
        try await clients[index].copy.expectCurrent(in: store, comment)
        #expect(clients[index].copy.deleted.isSubset(of: clients[index].listed), comment)
    }
}
