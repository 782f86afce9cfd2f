package import ArticleAPI
package import ArticleStore
import BroadsheetHTTP
public import BroadsheetPlatform
import CBroadsheetMarkdown

/// Renders Markdown (GitHub's flavour, with libcmark-gfm) as HTML without raw HTML, and with links
/// of the schemes in `LinkSchemes` only.
///
/// Time, memory and output are limited for any text: it is rendered in a separate process, which is
/// killed when it exceeds a limit. This also contains faults in the library.
public final class MarkdownRenderer: Sendable {
    private let limits: MarkdownLimits
    private let pool: BlockingPool
    private let system: SystemEnvironment
    private let idle = Lock<[MarkdownWorker]>([])
    private let queue = Lock(Queue())
    /// Small texts are sent to a worker together, up to this number and total size.
    private static let sharedTexts = 8
    private static let sharedBytes = 32 << 10

    /// Texts of many clients, who take turns.
    private struct Queue {
        var texts = FairQueue<WaitingText>()
        /// The number of texts that are being rendered, and of threads that do so.
        var running = 0
        var threads = 0
    }

    /// Processes are started on demand.
    public convenience init(
        limits: MarkdownLimits = MarkdownLimits(), system: SystemEnvironment
    ) {
        // A thread that ends may still count while the next one starts.
        self.init(
            limits: limits,
            pool: BlockingPool(
                label: "broadsheet.markdown", width: limits.workers, depth: limits.workers),
            system: system)
    }

    /// - Parameters:
    ///   - limits: for each text, and for all of them.
    ///   - pool: has room for twice as much work as there are workers.
    init(limits: MarkdownLimits, pool: BlockingPool, system: SystemEnvironment) {
        self.limits = limits
        self.pool = pool
        self.system = system
    }

    /// Number of bodies waiting for a worker.
    package var waiting: Int { queue.withLock { $0.texts.count } }

    /// The client for whom old texts are rendered when they are first read.
    package static let readers: UInt64 = 0

    /// Identifies the library, its version and its options: HTML with another name is rendered
    /// again.
    package static let name = "cmark-gfm \(String(cString: broadsheet_markdown_version())) safe-3"

    /// Renders a body without blocking the caller's thread.
    ///
    /// - Parameters:
    ///   - body: Markdown.
    ///   - client: takes turns with others, however many texts each of them has.
    /// - Throws: `.invalid` with a pointer to the body if it exceeds a limit, `.busy` if too many
    ///   texts are waiting, `.unavailable` if no worker is available, `.failed` if the text ends
    ///   workers.
    package func render(
        _ body: String, for client: UInt64
    ) async throws(ServiceError) -> RenderedBody {
        if body.isEmpty { return RenderedBody(written: []) }
        let result = await withUnsafeContinuation { continuation in
            add(WaitingText(body, client, continuation))
        }
        return try result.get()
    }

    /// Renders a body on this thread, which must not be an event loop.
    package func renderNow(_ body: String) throws(ServiceError) -> RenderedBody {
        if body.isEmpty { return RenderedBody(written: []) }
        var cause = ""
        for _ in 0..<2 {
            let worker = try idleWorker()
            let outcome = worker.render(body, limits)
            if outcome.keepsWorker { park(worker) }
            switch outcome {
            case .rendered(let html): return RenderedBody(written: html)
            case .rejected(let outcome): throw limits.rejection(outcome)
            case .stuck: throw .unavailable(cause: "a Markdown worker did not respond")
            // It may have been killed from outside, so another one tries.
            case .lost: cause = worker.describeEnd()
            }
        }
        throw .failed(cause: "a Markdown worker \(cause) at a text of \(body.utf8.count) bytes")
    }

    // MARK: Waiting texts

    /// A text and the caller waiting for its result.
    private final class WaitingText: Sendable {
        typealias Result = Swift.Result<RenderedBody, ServiceError>

        let body: String
        let client: UInt64
        private let continuation: UnsafeContinuation<Result, Never>

        init(
            _ body: String, _ client: UInt64, _ continuation: UnsafeContinuation<Result, Never>
        ) {
            self.body = body
            self.client = client
            self.continuation = continuation
        }

        /// The expected nanoseconds: prose takes about 25 for each byte.
        var estimate: Int64 { 20_000 + 25 * Int64(body.utf8.count) }

        func finish(_ result: Result) { continuation.resume(returning: result) }
    }

    /// In a full queue, the newest text of the client with the most texts makes room for a client
    /// with fewer.
    private func add(_ text: WaitingText) {
        let (rejected, startsThread) = queue.withLock { queue -> (WaitingText?, Bool) in
            var rejected: WaitingText?
            if queue.texts.count + queue.running >= limits.workers + limits.queueDepth {
                rejected = queue.texts.evictLast(for: text.client)
                guard rejected != nil else { return (text, false) }
            }
            queue.texts.append(text, of: text.client)
            let startsThread = queue.threads < limits.workers
            if startsThread { queue.threads += 1 }
            return (rejected, startsThread)
        }
        rejected?.finish(.failure(.busy))
        guard startsThread else { return }
        // The pool has room for every thread that is counted.
        try? pool.start { self.renderWaiting() }
    }

    private func renderWaiting() {
        while let next = nextTexts() {
            var texts = next[...]
            while !texts.isEmpty {
                if texts.count > 1 { texts.removeFirst(renderTogether(Array(texts))) }
                // The text that ended the shared worker is rendered separately.
                guard let text = texts.popFirst() else { break }
                let start = system.monotonicNanoseconds()
                let result = Result { () throws(ServiceError) in try renderNow(text.body) }
                finish(text, result, since: start)
            }
        }
    }

    /// The next texts that may share a worker; waiting texts are divided among the workers. `nil`
    /// if there are none, and the thread ends.
    private func nextTexts() -> [WaitingText]? {
        queue.withLock { queue in
            let share = (queue.texts.count + limits.workers - 1) / limits.workers
            let most = min(Self.sharedTexts, share)
            var texts: [WaitingText] = []
            var bytes = 0
            // Invariant: `texts` have `bytes` bytes in total and may share a worker.
            while texts.count < most {
                let next = queue.texts.next(
                    where: { texts.isEmpty || bytes + $0.body.utf8.count <= Self.sharedBytes },
                    estimate: \.estimate)
                guard let next else { break }
                texts.append(next)
                bytes += next.body.utf8.count
            }
            queue.running += texts.count
            if texts.isEmpty { queue.threads -= 1 }
            return texts.isEmpty ? nil : texts
        }
    }

    /// Charges the time to the client before it resumes, so that sequential callers never find a
    /// full queue.
    private func finish(
        _ text: WaitingText, _ result: WaitingText.Result, since start: Int64
    ) {
        let nanoseconds = system.monotonicNanoseconds() - start
        queue.withLock { queue in
            queue.running -= 1
            queue.texts.charge(nanoseconds, estimate: text.estimate, to: text.client)
        }
        text.finish(result)
    }

    /// Renders texts with one worker, until one of them ends it.
    ///
    /// - Returns: the number of finished texts.
    private func renderTogether(_ texts: [WaitingText]) -> Int {
        guard let worker = try? idleWorker() else { return 0 }
        var finished = 0
        var start = system.monotonicNanoseconds()
        worker.render(texts.map(\.body), limits) { outcome in
            let result: WaitingText.Result
            switch outcome {
            case .rendered(let html): result = .success(RenderedBody(written: html))
            case .rejected(let reason) where outcome.keepsWorker:
                result = .failure(limits.rejection(reason))
            default: return
            }
            finish(texts[finished], result, since: start)
            finished += 1
            start = system.monotonicNanoseconds()
        }
        if finished == texts.count { park(worker) }
        return finished
    }

    // MARK: Workers

    private func idleWorker() throws(ServiceError) -> MarkdownWorker {
        if let worker = idle.withLock({ $0.popLast() }) { return worker }
        do throws(SystemError) {
            return try MarkdownWorker(patienceSeconds: limits.patienceSeconds)
        } catch { throw .unavailable(cause: "a Markdown worker cannot be started: \(error)") }
    }

    private func park(_ worker: MarkdownWorker) {
        idle.withLock { idle in
            if idle.count < limits.workers { idle.append(worker) }
        }
    }
}

extension MarkdownLimits {
    fileprivate func rejection(_ outcome: broadsheet_markdown_outcome) -> ServiceError {
        .invalidValue("/body", fault(outcome))
    }

    /// The fault of a text as a phrase that follows the name of its location.
    private func fault(_ outcome: broadsheet_markdown_outcome) -> String {
        switch outcome {
        case BROADSHEET_MARKDOWN_TOO_DEEP:
            "nests more than \(depth) elements as Markdown"
        case BROADSHEET_MARKDOWN_TOO_LONG: "renders to more than \(outputBytes) bytes of HTML"
        case BROADSHEET_MARKDOWN_OUT_OF_MEMORY:
            "needs more than \(memoryBytes >> 20) MiB of memory to render: it nests too deeply, "
                + "or its tables have too many cells"
        case BROADSHEET_MARKDOWN_OUT_OF_TIME:
            "takes more than \(milliseconds) ms to render as Markdown"
        default: "cannot be rendered as Markdown"
        }
    }
}

/// Limits for rendering one text.
public struct MarkdownLimits: Sendable, Hashable {
    /// Maximum size of the HTML.
    public var outputBytes = ArticleLimits.bodyHTMLBytes
    /// Maximum memory of the library: about fifty times the size of a long prose text.
    public var memoryBytes = 128 << 20
    /// Maximum nesting depth of elements; browsers give up at 512.
    public var depth = 200
    /// Maximum CPU time; 2 MiB of prose take 50 ms.
    public var milliseconds = 1_000
    /// Maximum wall-clock time until an unresponsive worker is killed.
    public var patienceSeconds = 10
    /// Number of texts that are rendered concurrently, each in its own process.
    public var workers = 2
    /// Maximum number of texts waiting for a worker; above it, clients with the most texts are
    /// rejected.
    public var queueDepth = 256

    public init() {}
}

/// The renderers of a process, with their workers: backends may share them.
public struct MarkdownRenderers: Sendable {
    /// For the bodies of articles.
    public let articles: MarkdownRenderer
    /// For comments: with limits and a worker of their own, so that editors do not wait for them,
    /// however many people comment.
    public let comments: MarkdownRenderer

    /// - Parameter limits: for articles.
    public init(limits: MarkdownLimits = MarkdownLimits(), system: SystemEnvironment) {
        articles = MarkdownRenderer(limits: limits, system: system)
        comments = MarkdownRenderer(limits: .forComments, system: system)
    }
}

extension MarkdownLimits {
    /// For texts of at most 10,000 characters.
    package static var forComments: MarkdownLimits {
        var limits = MarkdownLimits()
        limits.outputBytes = 64 << 10
        limits.memoryBytes = 32 << 20
        limits.workers = 1
        return limits
    }
}

extension RenderedBody {
    package var html: String { bodyHTML.html ?? "" }

    /// - Parameter html: the renderer's output.
    package init(written html: [UInt8]) {
        let text = String(decoding: Self.withMarkupKept(html), as: UTF8.self).inNFC
        self.init(
            BodyHTML(renderer: MarkdownRenderer.name, html: text),
            measure: TextMeasure(utf8: Self.text(of: html)))
    }

    /// Replaces U+0338 by a character reference. After the `>` of a tag, it would compose to `≯` in
    /// NFC, here or at a client that normalizes, and the tag would continue into the text. No other
    /// mark composes with markup characters.
    private static func withMarkupKept(_ html: [UInt8]) -> [UInt8] {
        guard html.contains(0xCC) else { return html }
        // As references, marks would no longer be found in a long run, which clients decode.
        let html = Array(String(decoding: html, as: UTF8.self).streamSafe.utf8)
        return html.withUnsafeBufferPointer { bytes in
            var kept: [UInt8] = []
            kept.reserveCapacity(bytes.count)
            var start = 0
            // Invariant: `kept` contains bytes[..<start] with references for the mark.
            while let first = bytes[start...].firstIndex(of: 0xCC) {
                let isMark = first + 1 < bytes.count && bytes[first + 1] == 0xB8
                kept += bytes[start..<first]
                if isMark { kept += "&#824;".utf8 } else { kept.append(0xCC) }
                start = first + (isMark ? 2 : 1)
            }
            return kept + bytes[start...]
        }
    }

    /// The text of our own renderer's HTML, in which `<` and `>` only delimit tags and comments,
    /// blocks are separated by line breaks, and `&amp; &lt; &gt; &quot;` are the only references.
    private static func text(of html: [UInt8]) -> [UInt8] {
        html.withUnsafeBufferPointer { bytes in
            var text: [UInt8] = []
            text.reserveCapacity(bytes.count)
            var start = 0
            // Invariant: `text` holds the part of bytes[..<start] outside of tags, with a space for
            // each reference; `start` is not inside a tag or reference.
            while start < bytes.count {
                var end = start
                while end < bytes.count, bytes[end] != UInt8(ascii: "<"),
                    bytes[end] != UInt8(ascii: "&")
                {
                    end += 1
                }
                text.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[start..<end]))
                guard end < bytes.count else { break }
                let isTag = bytes[end] == UInt8(ascii: "<")
                if !isTag { text.append(UInt8(ascii: " ")) }
                let last = UInt8(ascii: isTag ? ">" : ";")
                start = (bytes[end...].firstIndex(of: last) ?? bytes.count - 1) + 1
            }
            return text
        }
    }
}

extension BodyHTML {
    /// Returns true if the selected attributes include the HTML, which is not included by default.
    package static func isAskedFor(by fields: FieldSelection?) -> Bool {
        fields?.contains("bodyHTML") ?? false
    }

    /// Returns true if the body has to be read: for itself, or for its HTML.
    package static func needsBody(_ fields: FieldSelection?) -> Bool {
        fields?.contains("body") ?? false || isAskedFor(by: fields)
    }
}
