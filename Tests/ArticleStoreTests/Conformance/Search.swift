import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import Testing

extension ArticleStoreConformance {
    @Suite struct Search {
        /// Not a version of the tokenizer, since these blocks are not an index of articles.
        private static func progress(
            _ store: any ArticleStore, version: Int = 1_000, sequence: Int64 = 0
        ) async throws -> SearchProgress {
            var query = ChangeQuery(audience: .everyone)
            query.startsNow = true
            let epoch = try await store.changes(query).position.epoch
            let position = ChangePosition(
                epoch: epoch, sequence: sequence, base: sequence + 3, seen: sequence + 4,
                mark: sequence &* 7_919)
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

        /// The blocks that a query finds, in the notation `0 1, 4`; `nil` if one is missing.
        private static func found(
            _ ranges: [(segment: Int64, blocks: Range<Int>)], of store: any ArticleStore
        ) async throws -> String? {
            let query = SearchBlockQuery(
                ranges.map { SearchBlockRange(segment: $0.segment, blocks: $0.blocks) })
            return try await store.searchBlocks(query)?.map { blocks in
                blocks.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ")
            }.joined(separator: ", ")
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
                while try await store.removeObsoleteSearchBlocks(except: [], limit: 8) {}
                #expect(try await store.searchIndex() == empty)
            }
        }

        @Test(arguments: Engine.all)
        func `a query finds the blocks of its ranges`(_ engine: Engine) async throws {
            try await engine.with { store in
                let firsts: [Character?] = ["c", "e", nil, nil, "g", "k"]
                try await store.putSearchBlocks(Array(Self.blocks(firsts)[..<3]), of: 2)
                try await store.putSearchBlocks(Array(Self.blocks(firsts)[3...]), of: 2)
                try await store.putSearchBlocks(Self.blocks(["a"]), of: 1)
                try await store.putSearchBlocks(
                    [SearchBlockRecord(number: 1 << 30, first: nil, data: [100])], of: 2)
                #expect(try await Self.found([(2, 0..<6)], of: store) == "0 1 2 3 4 5")
                #expect(try await Self.found([(2, 1..<4)], of: store) == "1 2 3")
                #expect(try await Self.found([(2, 5..<6), (1, 0..<1)], of: store) == "5, 0")
                #expect(try await Self.found([(2, 3..<3), (2, 0..<1)], of: store) == ", 0")
                #expect(try await Self.found([(3, 0..<0)], of: store) == "")
                #expect(try await Self.found([], of: store) == "")
                for missing in [(1, 0..<2), (2, 5..<7), (2, 6..<7), (3, 0..<1)] {
                    let ranges = [(2, 0..<1), (Int64(missing.0), missing.1)]
                    #expect(try await Self.found(ranges, of: store) == nil)
                }
                let keys = zip(["c", "e", "g", "k"], [0, 1, 4, 5]).map { first, block in
                    SearchKeyRecord(first: [2] + first.utf8, block: block)
                }
                #expect(try await store.searchKeys(of: 2) == keys)
                #expect(try await store.searchKeys(of: 3) == [])
            }
        }

        @Test(arguments: Engine.all)
        func `a query is limited in bytes`(_ engine: Engine) async throws {
            try await engine.with { store in
                try await store.putSearchBlocks(Self.blocks(["a", "b", "c"]), of: 1)
                var query = SearchBlockQuery([
                    SearchBlockRange(segment: 1, blocks: 0..<3),
                    SearchBlockRange(segment: 1, blocks: 1..<2),
                ])
                query.limitBytes = 4
                #expect(try await store.searchBlocks(query)?.map(\.count) == [3, 1])
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
                func found(_ segments: Int64...) async throws -> String? {
                    try await Self.found(segments.map { ($0, 0..<5) }, of: store)
                }
                // What was removed can still be read by those that do not know it yet.
                #expect(try await found(1, 3) == "0 1 2 3 4, 0 1 2 3 4")
                #expect(try await store.removeObsoleteSearchBlocks(except: [4], limit: 2))
                #expect(try await found(2, 1) == nil)
                var steps = 1
                while try await store.removeObsoleteSearchBlocks(except: [4], limit: 2) {
                    steps += 1
                }
                #expect(steps == 6)
                #expect(try await found(3) == nil)
                #expect(try await found(2) == "0 1 2 3 4")
                #expect(try await found(4) == "0 1 2 3 4")
                while try await store.removeObsoleteSearchBlocks(except: [], limit: 100) {}
                #expect(try await found(4) == nil)
                #expect(try await store.searchIndex().lastSegment == 2)
            }
        }

        /// The numbers that an observer was notified of.
        private final class Observer: ChangeObserver {
            let committed = Lock([Int64]())
            func didCommit(_ changes: CommitChanges) {
                committed.withLock { $0.append(changes.sequence) }
            }
        }

        @Test(arguments: Engine.all)
        func `writing the index is not a change`(_ engine: Engine) async throws {
            try await engine.with { store in
                let observer = Observer()
                store.observeChanges(observer)
                try await store.putSearchBlocks(Self.blocks(["a"]), of: 1)
                try await store.commitSearch(
                    SearchCommit(try await Self.progress(store), added: [Self.segment(1)]))
                try await store.resetSearch()
                _ = try await store.removeObsoleteSearchBlocks(except: [], limit: 10)
                #expect(try await store.changeSequence() == 0)
                #expect(observer.committed.withLock { $0 } == [])
            }
        }
    }
}
