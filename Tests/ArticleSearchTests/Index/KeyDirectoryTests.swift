import ArticleSearch
import Testing

@Suite struct KeyDirectoryTests {
    /// A segment without documents whose blocks begin with these keys.
    private static func segment(_ firsts: [(String, Int)], keyBlocks: Int) throws -> Segment {
        let count = (0..<4).map { UInt8(truncatingIfNeeded: keyBlocks >> (8 * $0)) }
        return try Segment(
            number: 1, level: 0,
            directory: KeyDirectory(firsts.map { ([2] + $0.0.utf8, $0.1) }),
            documents: [[2, 0, 0, 0, 0] + count], dead: [])
    }

    @Test func `a range finds the blocks in which its keys may be`() throws {
        // No key begins in the blocks 2 and 3. Keys between those that begin blocks may be anywhere
        // before the next one.
        let segment = try Self.segment(
            [("c", 0), ("e", 1), ("g", 4), ("k", 5)], keyBlocks: 6)
        let cases = [
            ("a", "b", 0..<0), ("a", "c", 0..<0), ("a", "d", 0..<1), ("c", "d", 0..<1),
            ("c", "e", 0..<1), ("d", "e", 0..<1), ("d", "f", 0..<4), ("e", "f", 1..<4),
            ("f", "g", 1..<4), ("g", "h", 4..<5), ("h", "i", 4..<5), ("h", "z", 4..<6),
            ("k", "l", 5..<6), ("y", "z", 5..<6), ("a", "z", 0..<6),
        ]
        for (low, high, expected) in cases {
            let range = TermRange(low: [2] + low.utf8, high: [2] + high.utf8)
            #expect(segment.blocks(of: range) == expected, "\(low)..<\(high)")
        }
        #expect(segment.directory.count == 4)
        #expect(segment.directory[2] == ([2] + "g".utf8, 4))
    }

    @Test func `a segment without keys has no blocks`() throws {
        let segment = try Self.segment([], keyBlocks: 0)
        #expect(segment.blocks(of: TermRange(low: [2], high: [3])) == 0..<0)
    }

    @Test func `a directory ascends and fits its segment`() throws {
        for firsts in [
            [("b", 0), ("a", 1)], [("a", 0), ("a", 1)], [("a", 1), ("b", 1)], [("a", -1)],
            [("a", 1 << 30)],
        ] {
            #expect(throws: SearchIndexError.self) { try Self.segment(firsts, keyBlocks: 9) }
        }
        #expect(throws: SearchIndexError.self) { try Self.segment([("a", 3)], keyBlocks: 3) }
        #expect(throws: SearchIndexError.self) { try Self.segment([], keyBlocks: 3) }
    }
}
