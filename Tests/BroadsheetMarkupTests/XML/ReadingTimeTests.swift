import BroadsheetMarkup
import BroadsheetTestSupport
import Testing

/// Documents for which there is no time.
@Suite struct ReadingTimeTests {
    /// Runs the body; its time is over from this look on.
    private static func run<Value>(
        endingAt look: Int, _ looks: Counter, _ body: () throws -> Value
    ) rethrows -> Value {
        try ReadingTime.run(until: { looks.next() >= look }, body)
    }

    @Test(arguments: [0, 5, 2_000, 29_000])
    func `HTML is not read further when the time is over`(look: Int) throws {
        let html = String(repeating: "<p>Some <b>bold</b> text</p>\n", count: 10_000)
        let looks = Counter()
        #expect(throws: HTMLError.outOfTime) {
            try Self.run(endingAt: look, looks) { try MarkdownFromHTML().convert(html) }
        }
        // Each element around the place looks once more.
        #expect(looks.value < look + 20)
        guard look == 0 else { return }
        let long = try MarkdownFromHTML().convert(html)
        #expect(long.markdown.utf8.count > 180_000)
    }

    @Test func `a task that is cancelled reads nothing`() async throws {
        let task = Task { () throws(XMLError) in
            withUnsafeCurrentTask { $0?.cancel() }
            return try XMLReader(Array("<a/>".utf8)).next()
        }
        let error = await #expect(throws: XMLError.self) { _ = try await task.value }
        #expect(error?.reason == .outOfTime)
    }

    @Test func `XML is not read further when the time is over`() throws {
        let text = Array("<a>\(String(repeating: "<b/>", count: 250_000))</a>".utf8)
        let (looks, reader) = (Counter(), XMLReader(text))
        let error = #expect(throws: XMLError.self) {
            try Self.run(endingAt: 3, looks) { while try reader.next() != nil {} }
        }
        #expect(error?.reason == .outOfTime && looks.value == 4)
    }
}
