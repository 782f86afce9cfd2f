import ArticleAPI
import ArticleStore
import Platform
import Testing

extension ArticleStoreConformance {
    @Suite struct Search {
        /// The version is none of the tokenizer's, as these blocks are no index of articles.
        private static func progress(
            _ store: any ArticleStore, version: Int = 1_000, sequence: Int64 = 0
        ) async throws -> SearchProgress {
            var query = ChangeQuery(audience: .everyone)
            query.startsNow = true
            let epoch = try await store.changes(query).position.epoch
            let position = ChangePosition(epoch: epoch, sequence: sequence, base: sequence + 3)
            return SearchProgress(version: version, position: position)
        }

        private static func segment(
            _ number: Int64, level: Int = 0, dead: [UInt8] = [0]
        ) -> SearchSegmentRecord {
            SearchSegmentRecord(number: number, level: level, bytes: 12, dead: dead)
        }

        /// A block whose content says which one it is; without a letter, no key begins in it.
        private static func block(_ number: Int, _ first: Character?) -> SearchBlockRecord {
            SearchBlockRecord(
                number: number, first: first?.asciiValue.map { [2, $0] },
                data: Array("\(number)".utf8))
        }

        private static func blocks(_ firsts: [Character?]) -> [SearchBlockRecord] {
            firsts.enumerated().map { block($0.offset, $0.element) }
        }

        private static func range(_ low: String, _ high: String) -> SearchKeyRange {
            SearchKeyRange(low: [2] + low.utf8, high: [2] + high.utf8)
        }

        /// The numbers of the blocks that a query finds, in the notation `0 1, 4 | 2`: segments and
        /// ranges.
        private static func found(
            _ ranges: [SearchKeyRange], in segments: [Int64], of store: any ArticleStore
        ) async throws -> String? {
            let found = try await store.searchBlocks(SearchBlockQuery(ranges, in: segments))
            return found?.map { segment in
                segment.map { blocks in
                    blocks.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
                }.joined(separator: ", ")
            }.joined(separator: " | ")
        }

        @Test(arguments: Engine.all)
        func `an index is empty at first, and in the state of its last commit`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                let empty = SearchIndexRecord(progress: nil, segments: [], lastSegment: 0)
                #expect(try await store.searchIndex() == empty)
                try await store.putSearchBlocks(Self.blocks(["a"]), of: 4)
                var index = empty
                index.lastSegment = 4
                #expect(try await store.searchIndex() == index)

                index.progress = try await Self.progress(store, sequence: 7)
                index.segments = [Self.segment(4), Self.segment(9, level: 2, dead: [])]
                index.lastSegment = 9
                try await store.commitSearch(
                    SearchCommit(
                        try #require(index.progress), added: index.segments.reversed()))
                #expect(try await store.searchIndex() == index)

                index.progress = try await Self.progress(store, version: 1_001, sequence: 8)
                index.segments = [Self.segment(9, level: 2, dead: [5, 6]), Self.segment(10)]
                index.lastSegment = 10
                try await store.commitSearch(
                    SearchCommit(
                        try #require(index.progress), added: [Self.segment(10)], removed: [4],
                        dead: [9: [5, 6]]))
                #expect(try await store.searchIndex() == index)

                try await store.resetSearch()
                #expect(
                    try await store.searchIndex()
                        == SearchIndexRecord(progress: nil, segments: [], lastSegment: 4))
                while try await store.removeSearchRemains(except: [], limit: 8) {}
                #expect(try await store.searchIndex() == empty)
            }
        }

        @Test(arguments: Engine.all)
        func `a range finds the blocks in which its keys may be`(_ engine: Engine) async throws {
            try await engine.with { store in
                // Keys between those that begin blocks may be anywhere before the next one.
                let firsts: [Character?] = ["c", "e", nil, nil, "g", "k"]
                try await store.putSearchBlocks(Array(Self.blocks(firsts)[..<3]), of: 2)
                try await store.putSearchBlocks(Array(Self.blocks(firsts)[3...]), of: 2)
                try await store.putSearchBlocks(Self.blocks(["a"]), of: 1)
                try await store.putSearchBlocks(Self.blocks(["z"]), of: 3)
                // Documents are no keys.
                try await store.putSearchBlocks(
                    [SearchBlockRecord(number: 1 << 30, first: nil, data: [100])], of: 2)
                let cases = [
                    ("a", "b", ""), ("a", "c", ""), ("a", "d", "0"), ("c", "d", "0"),
                    ("c", "e", "0"), ("d", "e", "0"), ("d", "f", "0 1 2 3"), ("e", "f", "1 2 3"),
                    ("f", "g", "1 2 3"), ("g", "h", "4"), ("h", "i", "4"), ("h", "z", "4 5"),
                    ("k", "l", "5"), ("y", "z", "5"), ("a", "z", "0 1 2 3 4 5"),
                ]
                for (low, high, expected) in cases {
                    let range = Self.range(low, high)
                    #expect(
                        try await Self.found([range], in: [2], of: store) == expected,
                        "\(low)..<\(high)")
                }
                let ranges = [Self.range("e", "f"), Self.range("k", "l")]
                #expect(
                    try await Self.found(ranges, in: [3, 2], of: store) == ",  | 1 2 3, 5")
                #expect(try await Self.found([], in: [2], of: store) == "")
                #expect(try await Self.found(ranges, in: [], of: store) == "")
            }
        }

        @Test(arguments: Engine.all)
        func `a query is limited in bytes`(_ engine: Engine) async throws {
            try await engine.with { store in
                try await store.putSearchBlocks(Self.blocks(["a", "b", "c"]), of: 1)
                var query = SearchBlockQuery([Self.range("a", "z"), Self.range("b", "c")], in: [1])
                query.limitBytes = 4
                #expect(try await store.searchBlocks(query)?.first?.map(\.count) == [3, 1])
                query.limitBytes = 3
                let error = try await failure { _ = try await store.searchBlocks(query) }
                guard case .tooMany = error else { throw error }
            }
        }

        @Test(arguments: Engine.all)
        func `the blocks of a segment can be read in order`(_ engine: Engine) async throws {
            try await engine.with { store in
                try await store.putSearchBlocks(Self.blocks(["a", nil, "c", nil]), of: 1)
                try await store.putSearchBlocks(
                    [SearchBlockRecord(number: 1 << 30, first: nil, data: [1, 2, 3])], of: 1)
                try await store.putSearchBlocks(Self.blocks(["a"]), of: 2)
                func numbers(from number: Int, _ bytes: Int) async throws -> [Int] {
                    try await store.searchBlocks(of: 1, from: number, limitBytes: bytes)
                        .map(\.number)
                }
                #expect(try await numbers(from: 0, 1_000) == [0, 1, 2, 3, 1 << 30])
                #expect(try await numbers(from: 0, 1) == [0])
                #expect(try await numbers(from: 1, 2) == [1, 2])
                #expect(try await numbers(from: 4, 1_000) == [1 << 30])
                #expect(try await numbers(from: 1 << 30 + 1, 1_000) == [])
                let last = try await store.searchBlocks(of: 1, from: 1 << 30, limitBytes: 9)
                #expect(last == [SearchBlockRecord(number: 1 << 30, first: nil, data: [1, 2, 3])])
            }
        }

        @Test(arguments: Engine.all)
        func `blocks of no segment are removed in steps, and a query notices`(
            _ engine: Engine
        ) async throws {
            try await engine.with { store in
                for number in Int64(1)...4 {
                    try await store.putSearchBlocks(
                        Self.blocks(["a", "b", nil, "d", "e"]), of: number)
                }
                let progress = try await Self.progress(store)
                try await store.commitSearch(
                    SearchCommit(progress, added: (1...3).map { Self.segment($0) }))
                try await store.commitSearch(SearchCommit(progress, removed: [1, 3]))
                let all = [Self.range("a", "z")]
                // What was removed can still be read by those that do not know it yet.
                #expect(
                    try await Self.found(all, in: [1, 3], of: store) == "0 1 2 3 4 | 0 1 2 3 4")
                #expect(try await store.removeSearchRemains(except: [4], limit: 2))
                #expect(try await Self.found(all, in: [2, 1], of: store) == nil)
                var steps = 1
                while try await store.removeSearchRemains(except: [4], limit: 2) { steps += 1 }
                #expect(steps == 6)
                #expect(try await Self.found(all, in: [3], of: store) == nil)
                #expect(try await Self.found(all, in: [2], of: store) == "0 1 2 3 4")
                #expect(try await Self.found(all, in: [4], of: store) == "0 1 2 3 4")
                while try await store.removeSearchRemains(except: [], limit: 100) {}
                #expect(try await Self.found(all, in: [4], of: store) == nil)
                #expect(try await store.searchIndex().lastSegment == 2)
            }
        }

        /// The numbers that an observer was notified of.
        private final class Observer: ChangeObserver {
            let committed = Lock([Int64]())
            func willCommit(_ changes: PendingChanges) {}
            func didCommit(through sequence: Int64) { committed.withLock { $0.append(sequence) } }
            func didNotCommit(beyond sequence: Int64) {}
        }

        @Test(arguments: Engine.all)
        func `the index is no change`(_ engine: Engine) async throws {
            try await engine.with { store in
                let observer = Observer()
                store.observeChanges(observer)
                try await store.putSearchBlocks(Self.blocks(["a"]), of: 1)
                try await store.commitSearch(
                    SearchCommit(try await Self.progress(store), added: [Self.segment(1)]))
                try await store.resetSearch()
                _ = try await store.removeSearchRemains(except: [], limit: 10)
                #expect(try await store.changeSequence() == 0)
                #expect(observer.committed.withLock { $0 } == [])
            }
        }
    }
}
