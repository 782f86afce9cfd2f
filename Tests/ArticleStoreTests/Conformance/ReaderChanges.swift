import ArticleAPI
import ArticleStore
import BroadsheetTestSupport
import Testing

extension ArticleStoreConformance {
    /// Changes of comments and bookmarks.
    @Suite struct ReaderChanges {
        @Test(arguments: Engine.all, 1...(Thoroughness.isFull ? 10 : 1))
        func `copies of all readers equal the lists after every write`(
            _ engine: Engine, seed: Int
        ) async throws {
            try await engine.with { store in
                var readers = try await RandomReaders(seed: UInt64(100 + seed), in: store)
                var copies: [ChangeQuery: ReaderCopy] = [:]
                for _ in 0..<50 {
                    try await readers.write(to: store)
                    for query in Self.queries(of: readers) {
                        var copy = copies[query] ?? ReaderCopy(query)
                        copy.disturb()
                        // Some are behind, or in the middle of a page.
                        if !readers.isTrue(in: 3) {
                            let limit = 1 + readers.below(4)
                            let isStep = readers.isTrue(in: 3)
                            try await Self.read(&copy, limit, isStep: isStep, readers, in: store)
                        }
                        copies[query] = copy
                    }
                }
            }
        }

        /// Comments, bookmarks, and both together with articles, for readers of all kinds.
        private static func queries(of readers: RandomReaders) -> [ChangeQuery] {
            var queries: [ChangeQuery] = []
            func add(
                _ kinds: Set<SyncKind>, to audience: Audience, _ user: User.ID? = nil,
                on article: Article.ID? = nil
            ) {
                var query = ChangeQuery(audience: audience)
                query.kinds = kinds
                query.article = article
                query.user = user
                queries.append(query)
            }
            for article in readers.articles {
                add([.comment], to: .everyone, on: article)
                add([.comment, .article], to: .everyone, on: article)
                add([.comment], to: .editors, on: article)
                for user in readers.users.map(\.id) {
                    add([.comment], to: .everyone, user, on: article)
                    add([.comment, .bookmark, .article], to: .author(user), user, on: article)
                }
            }
            for user in readers.users.map(\.id) {
                add([.bookmark], to: .everyone, user)
                add([.bookmark, .article], to: .editors, user)
            }
            return queries
        }

        /// Reads one page or all, and compares the copy with the lists when it is complete.
        private static func read(
            _ copy: inout ReaderCopy, _ limit: Int, isStep: Bool, _ readers: RandomReaders,
            in store: any ArticleStore
        ) async throws {
            guard let lists = try await lists(of: copy.query, readers, in: store) else {
                var unseen = copy
                let error = try await failure { try await unseen.step(limit: limit, in: store) }
                guard case .notFound = error else { throw error }
                return
            }
            if isStep {
                try await copy.step(limit: limit, in: store)
            } else {
                try await copy.catchUp(limit: limit, in: store)
                // Nothing has happened since.
                try await copy.step(limit: limit, in: store)
            }
            guard copy.isComplete else { return }
            #expect(try await ReaderLists(copy, in: store) == lists)
        }

        /// `nil` if the comments that the query is for are not visible.
        private static func lists(
            of query: ChangeQuery, _ readers: RandomReaders, in store: any ArticleStore
        ) async throws -> ReaderLists? {
            do {
                return try await ReaderLists(query, readers.articles, in: store)
            } catch StoreError.notFound {
                return nil
            }
        }

        @Test(arguments: Engine.all, 1...(Thoroughness.isFull ? 6 : 1))
        func `a write that a reader does not see does not move the position`(
            _ engine: Engine, seed: Int
        ) async throws {
            try await engine.with { store in
                var readers = try await RandomReaders(seed: UInt64(200 + seed), in: store)
                var seen: [ChangeQuery: (lists: ReaderLists, position: ChangePosition)] = [:]
                var unmoved = 0
                for _ in 0..<60 {
                    try await readers.write(to: store)
                    for query in Self.queries(of: readers) {
                        guard let lists = try await Self.lists(of: query, readers, in: store) else {
                            seen[query] = nil
                            continue
                        }
                        var next = query
                        next.limit = 500
                        next.position = seen[query]?.position
                        let slice = try await store.changes(next)
                        #expect(slice.isLast)
                        // Those of articles that were deleted are not listed.
                        let isListed = !query.kinds.contains(.bookmark)
                        if let last = seen[query], isListed, last.lists == lists {
                            #expect(slice.items.isEmpty && slice.position == last.position)
                            unmoved += 1
                        }
                        seen[query] = (lists, slice.position)
                    }
                }
                #expect(unmoved > 100)
            }
        }

        @Test(arguments: Engine.all)
        func `a deletion has the revision at which the comment left sight`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                let comment = try await thread.comment("one", by: thread.ada)
                var query = ChangeQuery(audience: .everyone)
                query.kinds = [.comment]
                query.article = thread.article
                query.position = try await store.changes(query).position
                // As in a moderated thread, its writer's edit has to be approved.
                for body in ["two", "three"] {
                    _ = try await store.updateComment(
                        comment.id, ArticleComment.Changes(body: .set(body)), html: nil,
                        under: .giving(.pending), expecting: .anything,
                        as: thread.viewer(thread.ada), by: .later(100))
                }
                let hidden = try await store.changes(query).items.map(\.change)
                #expect(hidden == [.deleteComment(comment.id, revision: 2)])
                // Its writer sees that it is pending.
                query.user = thread.ada.id
                let own = try await store.changes(query).items.map(\.change)
                let pending = try await store.comment(
                    comment.id, visibleTo: thread.viewer(thread.ada))
                #expect(own == [.putComment(pending)])
                // Somebody else, and a client without a copy, do not learn of it.
                query.user = thread.bob.id
                let others = try await store.changes(query).items.map(\.change)
                #expect(others == [.deleteComment(comment.id, revision: 2)])
                query.position = nil
                #expect(try await store.changes(query).items.isEmpty)
            }
        }

        @Test(arguments: Engine.all)
        func `a query without its article or user finds nothing`(_ engine: Engine) async throws {
            try await engine.with { store in
                let thread = try await CommentThread(store)
                for (kind, user) in [
                    (SyncKind.comment, thread.ada.id), (.bookmark, nil), (.bookmark, .make()),
                ] {
                    var query = ChangeQuery(audience: .editors)
                    query.kinds = [.article, kind]
                    query.user = user
                    let error = try await failure { [query] in _ = try await store.changes(query) }
                    guard case .notFound = error else { throw error }
                }
            }
        }
    }
}
