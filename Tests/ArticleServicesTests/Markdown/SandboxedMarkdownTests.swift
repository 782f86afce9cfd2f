import ArticleAPI
import BroadsheetHTTP
import BroadsheetPlatform
import BroadsheetTestSupport
import Glibc
import Testing

@testable import ArticleServiceCore
@testable import ArticleServices

/// Each construct of Markdown, in texts so large that the library and the C library take other ways
/// than for short ones, in workers that may make few system calls.
@Suite struct SandboxedMarkdownTests {
    /// A construct, many times, with what must be in the HTML that often.
    struct Sample: Sendable, CustomTestStringConvertible {
        let name: String
        let text: String
        let expected: String
        let count: Int
        /// True if it is there that often; otherwise at least once.
        private(set) var isCounted = true

        init(
            _ name: String, _ expected: String, count: Int = 1_000, before: String = "",
            after: String = "", _ piece: (Int) -> String
        ) {
            self.name = name
            self.expected = expected
            self.count = count
            text = before + (0..<count).map(piece).joined() + after
        }

        var any: Sample {
            var sample = self
            sample.isCounted = false
            return sample
        }

        var testDescription: String { name }
    }

    private static let blocks = [
        Sample("paragraphs", "<p>word</p>") { _ in "word\n\n" },
        Sample("headings", "<h3>") { "### Heading \($0) ###\n" },
        Sample("underlined headings", "<h2>") { "Heading \($0)\n---\n\n" },
        Sample("thematic breaks", "<hr />") { _ in "* * *\n" },
        Sample("indented code", "<pre><code>") { "    code \($0)\n\nword\n\n" },
        Sample("long indented code", "code &lt;", count: 20_000) { "    code < \($0)\n" },
        Sample("fenced code", "language-swift") { "```swift\nlet a = \($0)\n```\n" },
        Sample("tildes", "<pre><code>") { "~~~~\n~~~ \($0)\n~~~~\n" },
        Sample("an unclosed fence", "line", count: 20_000, before: "```\n") { "line \($0)\n" },
        Sample("quotations", "<blockquote>") { "> quoted \($0)\ncontinued\n\n" },
        Sample("deep quotations", "<blockquote>", count: 150, after: "deep\n") { _ in "> " },
        Sample("deep lists", "<ul>", count: 90) { String(repeating: "  ", count: $0) + "- a\n" },
        Sample("list items", "<li>", count: 10_000) { "- item \($0)\n" },
        Sample("numbered items", "<li>", count: 10_000) { "\($0 + 1). item\n" },
        Sample("loose items", "<li>", count: 5_000) { "* item \($0)\n\n  more\n\n" },
        Sample("tasks", "type=\"checkbox\"", count: 5_000) { "- [\($0 % 2 == 0 ? " " : "x")] a\n" },
        Sample("lists one after another", "<ul>") { "\($0 % 2 == 0 ? "-" : "+") a\n" },
        Sample(
            "a long table", "<tr>", count: 3_001, before: "| a | b | c |\n| :- | :-: | -: |\n"
        ) { $0 == 0 ? "" : "| \($0) | *b* | `c` |\n" },
        Sample("tables", "<table>") { "| a | \($0) |\n| - | - |\n| c | d |\n\n" },
        Sample("HTML blocks", "<!-- raw HTML omitted -->") {
            "<div class=\"a\">\n\($0)\n</div>\n\n"
        },
        Sample("comments", "<!-- raw HTML omitted -->") { "<!-- \($0) -->\n\nword\n\n" },
        Sample("instructions", "<!-- raw HTML omitted -->") { "<?php echo \($0); ?>\n\nword\n\n" },
        Sample("character data", "<!-- raw HTML omitted -->") { "<![CDATA[\($0)]]>\n\nword\n\n" },
    ]

    private static let inlines = [
        Sample("a long line", "word", count: 100_000) { _ in "word " },
        Sample("line breaks", "<br />", count: 10_000, after: "end") { _ in "a  \nb\\" + "x\n" },
        Sample("escapes", "&amp;", count: 10_000) { _ in "\\&\\*\\[\\] " },
        Sample("references of characters", "©", count: 10_000) { _ in "&copy;&#169; " }.any,
        Sample("code spans", "<code>", count: 10_000) { "`code \($0)` " },
        Sample("backticks", "<code>") { String(repeating: "`", count: $0 % 50 + 1) + "\n" }.any,
        Sample("emphasis", "<em>", count: 5_000) { "*a \($0)* " },
        Sample("strong emphasis", "<strong>", count: 5_000) { "__a \($0)__ " },
        Sample("both", "<em><strong>", count: 5_000) { "***a \($0)*** " },
        Sample("runs of emphasis", "<p>", count: 20_000) { _ in "*a **b _c" }.any,
        Sample("struck text", "<del>", count: 5_000) { "~~a \($0)~~ " },
        Sample("links", "<a href", count: 5_000) { "[a](https://example.org/\($0) \"T\") " },
        Sample("images", "<img ", count: 5_000) { "![a](https://example.org/\($0).png) " },
        Sample("links in brackets", "<a href", count: 5_000) { "<https://example.org/\($0)> " },
        Sample("addresses in brackets", "mailto:", count: 5_000) { "<a\($0)@example.org> " },
        Sample("bare links", "<a href", count: 5_000) { "https://example.org/\($0) " },
        Sample("bare names", "http://www", count: 5_000) { "www.example.org/\($0) " },
        Sample("bare addresses", "mailto:", count: 5_000) { "a\($0)@example.org " }.any,
        Sample("inline HTML", "<!-- raw HTML omitted -->", count: 5_000) { "a <b id=\"\($0)\"> " },
        Sample("brackets", "<p>", count: 50_000) { _ in "[a](" }.any,
        Sample("openers", "<p>", count: 50_000) { _ in "![" }.any,
        Sample("combining marks", "e\u{301}", count: 20_000) { _ in "e\u{301} " },
        Sample("NUL", "\u{FFFD}", count: 10_000) { _ in "a\0" },
        Sample(
            "reference definitions", "<a href", count: 1_000,
            before: (0..<1_000).map { "[r\($0)]: https://example.org/\($0)\n" }.joined() + "\n"
        ) { "[r\($0)] " },
        Sample(
            "many definitions, of equal names too", "<a href", count: 50_000,
            before: (0..<50_000).map { "[r\($0 % 40_000)]: /\($0) 'T'\n" }.joined() + "\n"
        ) { "[r\($0 % 40_000)] " }.any,
        Sample("footnotes", "<a href", count: 2_000) { "a[^\($0)]\n\n[^\($0)]: Note\n\n" }.any,
    ]

    /// Limits that no sample reaches, however busy the machine is.
    private static var limits: MarkdownLimits {
        var limits = MarkdownLimits()
        limits.milliseconds = 60_000
        limits.memoryBytes = 1 << 30
        limits.outputBytes = 64 << 20
        limits.patienceSeconds = Patience.seconds
        return limits
    }

    private static func count(of text: String, in bytes: [UInt8]) -> Int {
        let sought = Array(text.utf8)
        return bytes.indices.count { index in
            bytes[index] == sought[0] && bytes[index...].starts(with: sought)
        }
    }

    @Test(arguments: [blocks, inlines])
    func `large texts of each construct are rendered in the sandbox`(_ samples: [Sample]) throws {
        for sample in samples {
            // Each in a worker of its own, whose memory is fresh.
            let worker = try MarkdownWorker(patienceSeconds: Patience.seconds)
            guard case .rendered(let bytes) = worker.render(sample.text, Self.limits) else {
                Issue.record("\(sample.name): not rendered: the worker \(worker.describeEnd())")
                continue
            }
            let found = Self.count(of: sample.expected, in: bytes)
            #expect(
                sample.isCounted ? found == sample.count : found > 0,
                "\(sample.name): \(found) of \(sample.count)")
        }
    }

    @Test func `all constructs are rendered together`() throws {
        let worker = try MarkdownWorker(patienceSeconds: Patience.seconds)
        let text = (Self.blocks + Self.inlines).filter { !$0.name.contains("unclosed") }
            .map(\.text).joined(separator: "\n\n")
        guard case .rendered = worker.render(text, Self.limits) else {
            Issue.record("not rendered: the worker \(worker.describeEnd())")
            return
        }
    }

    @Test func `the end of a worker is described by its signal`() throws {
        for (signal, name) in [(SIGSYS, "SIGSYS"), (SIGSEGV, "SIGSEGV"), (SIGKILL, "SIGKILL")] {
            let worker = try MarkdownWorker(patienceSeconds: Patience.seconds)
            guard case .rendered = worker.render("a", MarkdownLimits()) else {
                throw TestFailure("not rendered")
            }
            kill(worker.process.id, signal)
            guard case .lost = worker.render("a", MarkdownLimits()) else {
                throw TestFailure("it responded")
            }
            #expect(worker.describeEnd() == "was ended by \(name)")
        }
    }

    @Test func `a worker's fault is the server's, and its log names the signal`() {
        let cause = "a Markdown worker was ended by SIGSYS at a text of 7 bytes"
        var lines: [String] = []
        let response = ServiceError.failed(cause: cause).response(to: "r1") { lines.append($0) }
        #expect(response.status == .internalServerError)
        #expect(lines == ["r1: \(cause)"])
    }
}
