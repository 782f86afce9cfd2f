import ArticleAPI
import ArticleStore
import BroadsheetPlatform
import BroadsheetSockets
import BroadsheetTestSupport
import Dispatch
import Glibc
import Testing

@testable import ArticleServiceCore
@testable import ArticleServices

/// Rendered bodies and the limits for rendering.
@Suite struct MarkdownRendererTests {
    private static let shared = MarkdownRenderer(limits: patient, system: .real)

    /// Limits of CPU time and memory alone: a worker is waited for however busy the machine is.
    private static var patient: MarkdownLimits {
        var limits = MarkdownLimits()
        limits.patienceSeconds = Patience.seconds
        return limits
    }

    private static func html(_ text: String) throws -> String {
        try shared.renderNow(text).html
    }

    /// The reason why the text is rejected.
    private static func rejection(
        _ text: String, by renderer: MarkdownRenderer = shared
    ) throws -> String {
        do throws(ServiceError) {
            _ = try renderer.renderNow(text)
        } catch {
            guard case .invalid(let details) = error, details.first?.place == .pointer("/body")
            else { throw error }
            return details.first?.detail ?? ""
        }
        throw TestFailure("it was rendered")
    }

    // MARK: Output

    @Test(arguments: [
        ("", ""),
        ("# 안녕\n\n*세상*", "<h1>안녕</h1>\n<p><em>세상</em></p>\n"),
        ("a ~~b~~ www.example.org", "<del>b</del> <a href=\"http://www.example.org\">"),
        ("|a|\n|-|\n|b|", "<td>b</td>"),
        ("- [x] done", "<input type=\"checkbox\" checked=\"\" disabled=\"\" />"),
        ("e&#769;", "<p>\u{E9}</p>\n"),
    ])
    func `Markdown is rendered as on GitHub`(text: String, part: String) throws {
        let html = try Self.html(text)
        #expect(html == part || !part.isEmpty && html.contains(part))
        #expect(Array(html.utf8) == Array(html.inNFC.utf8))
    }

    @Test(arguments: [
        "<script>alert(1)</script>", "a <b onclick=\"alert(1)\">b</b>", "<!-- x --><iframe src=x>",
        "[a](javascript:alert(1))", "[a](JaVaScRiPt:alert(1))", "[a](&#106;avascript:alert(1))",
        "[a](java&#10;script:alert(1))", "[a](<java\tscript:alert(1)>)", "<javascript:alert(1)>",
        "[a](&#1;javascript:alert(1))", "[a](vbscript:x)", "[a](file:///etc/passwd)",
        "[a](data:text/html;base64,PHNjcmlwdD4=)", "![a](data:image/svg+xml,<svg/onload=x>)",
        "[a]: javascript:alert(1)\n\n[a]", "![a\" onerror=\"alert(1)](x \"\\\" onload=\\\"y\")",
        "`<script>`", "```js\" onload=\"x\n<script>\n```", "[a](http://x/\"onclick=\"y)",
        "|<script>|\n|-|\n|[b](javascript:c)|", "www.a.b/<script>", "javascript://a@b.c",
        // In NFC, this mark composes with the end of a tag to a different character.
        "![x](y)\u{338} onerror=alert(1) ", "![x](y)&#824; onerror=alert(1) ",
        "![x](y)&#803;&#824; onerror=alert(1) ", "`\u{338} autofocus onfocus=alert(1) x`",
        "[\u{338} onmouseover=alert(1) x](http://a)", "<b>\u{338} onload=alert(1)",
    ])
    func `no tag, attribute or script link of the writer gets through`(text: String) throws {
        let html = try Self.html(text)
        // As it is, and as normalized by a reader.
        for html in [html, html.inNFC] { #expect(Markup.fault(in: html) == nil, "\(html)") }
    }

    @Test(arguments: [
        "intent://a#Intent;scheme=x;end", "blob:https://a.example/b", "filesystem:https://a/b",
        "view-source:https://a.example", "itms-services://?action=x", "ftp://a.example/b",
        "x-apple-systempreferences:", "IntEnt:a", "&#105;ntent:a",
        "https&#32;:a", "&#9;https:a", "&#65279;intent:a", "java&NewLine;script:a",
        "intent&colon;a",
        "http%73:a", "httpsx:a", "http :a", "ttp:a", "p:a", "ht:a", ":a",
        "data:image/png;base64,iVBORw0KGgo=",
    ])
    func `a link of another scheme becomes its text`(url: String) throws {
        let html = try Self.html("*a [b **c**](<\(url)> \"t\") ![d *e*](<\(url)>)*")
        #expect(html == "<p><em>a b <strong>c</strong> d <em>e</em></em></p>\n")
        #expect(try Self.html("|[b](<\(url)>)|\n|-|").contains("<th>b</th>"))
        let nested = try Self.html("[![a](<\(url)>)](/b) ![![c](<\(url)>)](/d)")
        #expect(nested == "<p><a href=\"/b\">a</a> <img src=\"/d\" alt=\"c\" /></p>\n")
    }

    @Test(arguments: [
        "https://a.example/b:c", "HTTP://a.example", "mailto:a@b.example", "tel:+15550100",
        "sms:+15550100", "xmpp:a@b.example", "//a.example/b", "/b:c", "?a:b", "#a:b", "b/c:d", "",
    ])
    func `a link of a common scheme, or without one, remains`(url: String) throws {
        #expect(try Self.html("[b](<\(url)>)") == "<p><a href=\"\(url)\">b</a></p>\n")
        let image = try Self.html("![b](<\(url)>)")
        let scheme = url.lowercased().prefix { $0 != ":" }
        let isText = ["mailto", "tel", "sms", "xmpp"].contains(scheme)
        #expect(image == (isText ? "<p>b</p>\n" : "<p><img src=\"\(url)\" alt=\"b\" /></p>\n"))
    }

    @Test func `addresses that become links by themselves are those of common schemes`() throws {
        let html = try Self.html("<intent://a> ftp://a.example <magnet:?x> a@b.example")
        let link = "<a href=\"mailto:a@b.example\">a@b.example</a>"
        #expect(html == "<p>intent://a ftp://a.example magnet:?x \(link)</p>\n")
    }

    @Test(arguments: [1, 10, 1_000, 20_000])
    func `texts of any size are rendered alike, one after another`(copies: Int) throws {
        let paragraph = "A *b* [c](https://a.example/d) `e`, **f**, ~~g~~ <https://h.example>.\n\n"
        let small = try Self.html(paragraph)
        for _ in 1...2 {
            let html = try Self.html(String(repeating: paragraph, count: copies))
            #expect(html == String(repeating: small, count: copies))
        }
    }

    @Test func `visible words are counted, not URLs and markup`() throws {
        let text = """
            # 안녕 [세상](https://example.org/a/very/long/way?q=1)

            > don't **re-read** <b>v1.2</b> &amp; AT&T

            | 日本 | `x < y` |
            |---|---|
            | *c* | ![picture](a.png) |
            """
        // 안녕 세상, don't re-read v1.2 AT T, 日 本 x y, c
        #expect(try Self.shared.renderNow(text).measure.words == 12)
    }

    // MARK: Limits

    /// A table with these numbers of columns and rows.
    private static func table(_ columns: Int, _ rows: Int) -> String {
        String(repeating: "a|", count: columns) + "\n" + String(repeating: "-|", count: columns)
            + "\n" + String(repeating: "b\n", count: rows)
    }

    @Test func `a small text with millions of cells is rejected`() throws {
        let text = Self.table(5_400, 2_700)
        #expect((26_000...28_000).contains(text.utf8.count))
        #expect(try Self.rejection(text).contains("too many cells"))
    }

    @Test func `a long text of nested quotations is rejected`() throws {
        let reason = try Self.rejection(String(repeating: ">", count: ArticleLimits.bodyBytes))
        #expect(reason.contains("MiB of memory"))
        #expect(try Self.rejection(String(repeating: ">", count: 1_000)).contains("200 elements"))
    }

    @Test func `too much output is rejected`() throws {
        let quotes = "    " + String(repeating: "\"", count: 1_500_000)
        #expect(try Self.rejection(quotes).contains("bytes of HTML"))
        var limits = Self.patient
        limits.outputBytes = 12
        let small = MarkdownRenderer(limits: limits, system: .real)
        #expect(try small.renderNow("abcd").html == "<p>abcd</p>\n")
        #expect(try Self.rejection("abcde", by: small).contains("12 bytes"))
    }

    @Test func `a text that takes too long is rejected`() throws {
        var limits = Self.patient
        limits.milliseconds = 30
        let hasty = MarkdownRenderer(limits: limits, system: .real)
        let text = String(repeating: "*a **a ", count: 250_000)
        #expect(try Self.rejection(text, by: hasty).contains("more than 30 ms"))
        #expect(try hasty.renderNow("a").html == "<p>a</p>\n")
    }

    @Test func `two mebibytes of prose are rendered`() throws {
        let line = "Some *words* of [prose](https://example.org), `code` & more. 한국어도.\n\n"
        let count = ArticleLimits.bodyBytes / line.utf8.count
        let html = try Self.html(String(repeating: line, count: count))
        #expect(html.utf8.count > ArticleLimits.bodyBytes)
    }

    /// Random Markdown fragments, repeated and nested: each text is rendered or rejected within the
    /// limits, and the renderer continues to work.
    @Test(arguments: UInt64(1)...(Thoroughness.isFull ? 4 : 2))
    func `time and output are limited for any text`(seed: UInt64) throws {
        var limits = Self.patient
        limits.milliseconds = 200
        let renderer = MarkdownRenderer(limits: limits, system: .real)
        var corpus = MarkdownCorpus(seed: seed)
        for _ in 0..<25 {
            let text = corpus.next()
            let start = threadSeconds()
            var html = ""
            do throws(ServiceError) {
                html = try renderer.renderNow(text).html
            } catch {
                guard case .invalid = error else { throw error }
            }
            // The worker has a limit of its own; this is what its output costs here.
            #expect(threadSeconds() - start < 10, "\(text.utf8.count): \(text.prefix(80))")
            #expect(html.utf8.count <= ArticleLimits.bodyHTMLBytes)
            #expect(html.utf8.elementsEqual(html.inNFC.utf8))
            if html.utf8.count < 100_000 {
                #expect(Markup.fault(in: html) == nil, "\(text.prefix(200))")
            }
        }
        #expect(try renderer.renderNow("a").html == "<p>a</p>\n")
    }

    // MARK: Workers

    @Test func `concurrent texts are rendered independently`() async throws {
        let renderer = MarkdownRenderer(limits: Self.patient, system: .real)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<64 {
                group.addTask {
                    let html = try await renderer.render("*\(number)*", for: 1).html
                    #expect(html == "<p><em>\(number)</em></p>\n")
                }
            }
            try await group.waitForAll()
        }
    }

    @Test func `texts that are sent together are returned in order`() throws {
        let worker = try MarkdownWorker(patienceSeconds: Patience.seconds)
        let deep = String(repeating: ">", count: 1_000)
        var outcomes: [String] = []
        worker.render(["a", deep, "b"], MarkdownLimits()) { outcome in
            switch outcome {
            case .rendered(let html): outcomes.append(String(decoding: html, as: UTF8.self))
            default: outcomes.append(outcome.keepsWorker ? "rejected" : "lost")
            }
        }
        #expect(outcomes == ["<p>a</p>\n", "rejected", "<p>b</p>\n"])
    }

    @Test func `a text that ends its worker does not affect others`() async throws {
        var limits = Self.patient
        (limits.workers, limits.memoryBytes) = (1, 4 << 20)
        let renderer = MarkdownRenderer(limits: limits, system: .real)
        let table = Self.table(100, 300)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let isHuge = number % 5 == 0
                    do throws(ServiceError) {
                        let html = try await renderer.render(
                            isHuge ? table : "*\(number)*", for: UInt64(number % 3)
                        ).html
                        #expect(!isHuge && html == "<p><em>\(number)</em></p>\n")
                    } catch {
                        guard isHuge, case .invalid(let details) = error else {
                            Issue.record(error)
                            return
                        }
                        #expect(details.first?.detail.contains("MiB of memory") == true)
                    }
                }
            }
        }
    }

    @Test func `a worker that was killed from outside is replaced`() throws {
        let worker = try MarkdownWorker(patienceSeconds: Patience.seconds)
        guard case .rendered = worker.render("a", MarkdownLimits()) else {
            throw TestFailure("not rendered")
        }
        worker.end()
        guard case .lost = worker.render("a", MarkdownLimits()) else {
            throw TestFailure("it responded")
        }
    }

    /// The contents of a file in a worker's `/proc/PID` after it has rendered something.
    private static func workerFile(_ name: String) throws -> String {
        let worker = try MarkdownWorker(patienceSeconds: Patience.seconds)
        guard case .rendered = worker.render("a", MarkdownLimits()) else {
            throw TestFailure("not rendered")
        }
        let file = try #require(fopen("/proc/\(worker.process.id)/\(name)", "r"))
        defer { fclose(file) }
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        bytes.removeSubrange(fread(&bytes, 1, bytes.count, file)...)
        withExtendedLifetime(worker) {}
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func `a worker cannot gain privileges or make other system calls`() throws {
        let status = try Self.workerFile("status").split(separator: "\n")
        #expect(status.contains("NoNewPrivs:\t1"))
        #expect(status.contains("Seccomp:\t2"))
        let limits = try Self.workerFile("limits").split(separator: "\n")
        for name in ["Max core file size", "Max file size", "Max open files", "Max processes"] {
            let limit = try #require(limits.first { $0.hasPrefix(name) })
            let values = limit.dropFirst(name.count).split(separator: " ").prefix(2)
            #expect(values == ["0", "0"], "\(limit)")
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root may look into a process that hides its memory"))
    func `a worker keeps one descriptor and no environment`() throws {
        setenv("BROADSHEET_TEST_SECRET", "not for workers", 1)
        #expect(try !Self.workerFile("environ").contains("not for workers"))
        let worker = try MarkdownWorker(patienceSeconds: Patience.seconds)
        guard case .rendered = worker.render("a", MarkdownLimits()) else {
            throw TestFailure("not rendered")
        }
        var descriptors = 0
        let folder = try #require(opendir("/proc/\(worker.process.id)/fd"))
        while readdir(folder) != nil { descriptors += 1 }
        closedir(folder)
        // In addition to `.` and `..`.
        #expect(descriptors == 3)
        withExtendedLifetime(worker) {}
    }

    @Test func `texts above the queue limit are rejected`() async throws {
        var limits = Self.patient
        (limits.workers, limits.queueDepth) = (1, 1)
        let renderer = MarkdownRenderer(limits: limits, system: .real)
        let text = String(repeating: "a *b* c\n", count: 100_000)
        let busy = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<12 {
                group.addTask {
                    do { _ = try await renderer.render(text, for: 1) } catch ServiceError.busy {
                        return true
                    } catch {}
                    return false
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect((1...11).contains(busy))
    }

    @Test func `a client with many texts makes room for another one in a full queue`() async throws
    {
        var limits = Self.patient
        (limits.workers, limits.queueDepth) = (1, 9)
        let pool = BlockingPool(label: "test.markdown", width: 1, depth: 2)
        let barrier = DispatchSemaphore(value: 0)
        // Nothing is rendered until everybody waits.
        try pool.start { barrier.wait() }
        let renderer = MarkdownRenderer(limits: limits, pool: pool, system: .real)
        let outcomes = await withTaskGroup(of: String.self) { group in
            func add(_ client: UInt64) {
                group.addTask {
                    do throws(ServiceError) {
                        _ = try await renderer.render("*a*", for: client)
                        return "\(client) rendered"
                    } catch { return "\(client) rejected" }
                }
            }
            for _ in 1...10 { add(1) }
            #expect(await eventually { renderer.waiting == 10 })
            add(1)
            #expect(await group.next() == "1 rejected")
            add(2)
            #expect(await group.next() == "1 rejected")
            #expect(renderer.waiting == 10)
            barrier.signal()
            return await group.reduce(into: [String: Int]()) { $0[$1, default: 0] += 1 }
        }
        #expect(outcomes == ["1 rendered": 9, "2 rendered": 1])
    }
}
