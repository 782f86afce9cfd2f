import ArticleSearch
import Testing

@Suite struct TermKeyTests {
    @Test func `keys of a class are together, in the order of their bytes`() {
        let keys = [
            TermKey(.word, "b".utf8), TermKey(.filter, "a".utf8), TermKey(.heading, "z".utf8),
            TermKey(.word, "ab".utf8), TermKey(.word, "a".utf8),
        ]
        let expected: [[UInt8]] = [
            [1, 0x7A], [2, 0x61], [2, 0x61, 0x62], [2, 0x62], [3, 0x61],
        ]
        #expect(keys.sorted().map(\.bytes) == expected)
    }
}
