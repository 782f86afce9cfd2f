import ArticleClient
import Testing

/// Blocks of parsed texts, as the system's parser describes them.
@Suite struct MarkdownBlockTests {
    private typealias Block = MarkdownBlock<String>
    private typealias Part = MarkdownBlock<String>.Run.Part

    private func blocks(_ runs: [(String, [Part])]) -> [Block] {
        Block.blocks(of: runs.map { Block.Run($0, in: $1) }, empty: "", +)
    }

    @Test func `the runs of a block are joined`() {
        let found = blocks([
            ("Rye", [Part(.heading(1), 1)]), ("Flour and ", [Part(.paragraph, 2)]),
            ("water", [Part(.paragraph, 2)]), (".", [Part(.paragraph, 2)]),
            ("let a = 1\n", [Part(.code("swift"), 3)]), ("⸻", [Part(.thematicBreak, 4)]),
            ("Two", [Part(.paragraph, 5)]),
        ])
        #expect(
            found.map(\.kind) == [
                .heading(level: 1), .paragraph, .code(language: "swift"), .thematicBreak,
                .paragraph,
            ])
        #expect(
            found.map(\.contents) == [
                ["Rye"], ["Flour and water."], ["let a = 1\n"], ["⸻"], ["Two"],
            ])
        #expect(found.map(\.id) == [0, 1, 2, 3, 4])
    }

    @Test func `items have markers, at their first block only`() {
        let (outer, inner) = (Part(.unorderedList, 10), Part(.orderedList, 20))
        let first = [Part(.item(1), 11), outer]
        let nested = { (number: Int) in [Part(.item(number), 20 + number), inner] + first }
        let found = blocks([
            ("a", [Part(.paragraph, 1)] + first), ("more", [Part(.paragraph, 2)] + first),
            ("b", [Part(.paragraph, 3)] + nested(1)), ("c", [Part(.paragraph, 4)] + nested(2)),
            ("d", [Part(.paragraph, 5), Part(.item(2), 12), outer]),
            ("e", [Part(.paragraph, 6)]),
        ])
        #expect(found.map(\.marker) == ["•", nil, "1.", "2.", "•", nil])
        #expect(found.map(\.listDepth) == [1, 1, 2, 2, 1, 0])
    }

    @Test func `an item that begins with a list shows the inner marker`() {
        let outer = [Part(.item(1), 1), Part(.unorderedList, 2)]
        let found = blocks([
            ("a", [Part(.paragraph, 5), Part(.item(3), 3), Part(.orderedList, 4)] + outer),
            ("b", [Part(.paragraph, 6)] + outer),
        ])
        #expect(found.map(\.marker) == ["3.", nil])
    }

    @Test func `quotes are counted, also around headings and code`() {
        let quote = [Part(.quote, 1)]
        let found = blocks([
            ("a", [Part(.heading(2), 2)] + quote),
            ("b", [Part(.code(nil), 4), Part(.quote, 3)] + quote),
        ])
        #expect(found.map(\.quoteDepth) == [1, 2])
        #expect(found.map(\.kind) == [.heading(level: 2), .code(language: nil)])
    }

    @Test func `a row of a table has a content for each column`() {
        let table = Part(.table, 1)
        func cell(_ column: Int, _ id: Int, _ row: Part) -> [Part] {
            [Part(.cell(column: column), id), row, table]
        }
        let (header, row) = (Part(.tableHeader, 2), Part(.tableRow, 3))
        let found = blocks([
            ("Flour", cell(0, 4, header)), ("g", cell(1, 5, header)),
            // The first cell is empty, and the second one has two runs.
            ("5", cell(1, 7, row)), ("00", cell(1, 7, row)), ("!", cell(3, 8, row)),
        ])
        #expect(found.map(\.kind) == [.tableRow(isHeader: true), .tableRow(isHeader: false)])
        #expect(found.map(\.contents) == [["Flour", "g"], ["", "500", "", "!"]])
    }

    @Test func `text without structure is one paragraph`() {
        let found = blocks([("a ", []), ("b", [])])
        #expect(found.map(\.contents) == [["a b"]] && found.map(\.kind) == [.paragraph])
        #expect(blocks([]).isEmpty)
    }
}
