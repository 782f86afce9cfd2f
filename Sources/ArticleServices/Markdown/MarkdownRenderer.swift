import ArticleAPI
import ArticleStore
import CMarkdown
import Platform

/// Renders Markdown (GitHub's flavour, with libcmark-gfm) as HTML without raw HTML and without
/// links that run scripts.
///
/// Time, memory and output are limited for any text: it is rendered in a separate process, which is
/// killed when it exceeds a limit. This also contains faults in the library.
public final class MarkdownRenderer: Sendable {
    private let limits: MarkdownLimits
    private let pool: BlockingPool
    private let idle = Lock<[MarkdownWorker]>([])
    /// For each of them there is a job in the pool, and jobs render the oldest texts.
    private let texts = Lock<[WaitingText]>([])
    /// Small texts are sent to a worker together, up to this number and total size.
    private static let sharedTexts = 8
    private static let sharedBytes = 32 << 10

    /// Processes are started on demand.
    public init(limits: MarkdownLimits = MarkdownLimits()) {
        self.limits = limits
        pool = BlockingPool(
            label: "broadsheet.markdown", width: limits.workers, depth: limits.queueDepth)
    }

    /// Number of bodies waiting for a worker.
    var waiting: Int { pool.waiting }

    /// Identifies the library, its version and its options: HTML with another name is rendered
    /// again.
    static let name = "cmark-gfm \(String(cString: broadsheet_markdown_version())) safe-2"

    /// Renders a body without blocking the caller's thread.
    ///
    /// - Throws: `.invalid` with a pointer to the body if it exceeds a limit, `.busy` if too many
    ///   texts are waiting, `.unavailable` if no worker is available.
    func render(_ body: String) async throws(ServiceError) -> RenderedBody {
        if body.isEmpty { return RenderedBody(written: []) }
        let result = await withUnsafeContinuation { continuation in
            let text = WaitingText(body, continuation)
            texts.withLock { $0.append(text) }
            do { try pool.start { self.renderWaiting() } } catch { giveUp(text) }
        }
        return try result.get()
    }

    /// Renders a body on this thread, which must not be an event loop.
    func renderNow(_ body: String) throws(ServiceError) -> RenderedBody {
        if body.isEmpty { return RenderedBody(written: []) }
        for _ in 0..<2 {
            let worker = try idleWorker()
            let outcome = worker.render(body, limits)
            if outcome.keepsWorker { park(worker) }
            switch outcome {
            case .rendered(let html): return RenderedBody(written: html)
            case .rejected(let outcome): throw limits.rejection(outcome)
            case .stuck: throw .unavailable(cause: "a Markdown worker did not respond")
            // It may have been killed from outside: only a second failure is blamed on the text.
            case .lost: continue
            }
        }
        throw .invalidValue("/body", "cannot be rendered as Markdown")
    }

    // MARK: Waiting texts

    /// A text and the caller waiting for its result.
    private final class WaitingText: Sendable {
        typealias Result = Swift.Result<RenderedBody, ServiceError>

        let body: String
        private let continuation: UnsafeContinuation<Result, Never>

        init(_ body: String, _ continuation: UnsafeContinuation<Result, Never>) {
            self.body = body
            self.continuation = continuation
        }

        func finish(_ result: Result) { continuation.resume(returning: result) }
    }

    /// The pool is full: removes the text, unless another job has already taken it.
    private func giveUp(_ text: WaitingText) {
        let waited = texts.withLock { texts in
            guard let place = texts.firstIndex(where: { $0 === text }) else { return false }
            texts.remove(at: place)
            return true
        }
        if waited { text.finish(.failure(.busy)) }
    }

    private func renderWaiting() {
        var texts = nextTexts()[...]
        while !texts.isEmpty {
            if texts.count > 1 { texts.removeFirst(renderTogether(Array(texts))) }
            // The text that ended the shared worker is rendered separately.
            guard let text = texts.popFirst() else { return }
            text.finish(Result { () throws(ServiceError) in try renderNow(text.body) })
        }
    }

    /// The next texts that may share a worker; waiting texts are divided among the workers.
    private func nextTexts() -> [WaitingText] {
        texts.withLock { texts in
            let most = min(Self.sharedTexts, (texts.count + limits.workers - 1) / limits.workers)
            var bytes = 0
            var count = 0
            // Invariant: the first `count` texts have `bytes` bytes in total and may share a
            // worker.
            while count < most {
                bytes += texts[count].body.utf8.count
                if count > 0, bytes > Self.sharedBytes { break }
                count += 1
            }
            defer { texts.removeFirst(count) }
            return Array(texts.prefix(count))
        }
    }

    /// Renders texts with one worker, until one of them ends it.
    ///
    /// - Returns: the number of finished texts.
    private func renderTogether(_ texts: [WaitingText]) -> Int {
        guard let worker = try? idleWorker() else { return 0 }
        var finished = 0
        worker.render(texts.map(\.body), limits) { outcome in
            switch outcome {
            case .rendered(let html):
                texts[finished].finish(.success(RenderedBody(written: html)))
            case .rejected(let reason) where outcome.keepsWorker:
                texts[finished].finish(.failure(limits.rejection(reason)))
            default: return
            }
            finished += 1
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
    /// Maximum number of texts waiting for a worker; further ones are rejected.
    public var queueDepth = 256

    public init() {}
}

/// A rendered body.
struct RenderedBody: Sendable, Hashable {
    let html: String
    /// Counts the words that readers see, without URLs and markup.
    let measure: TextMeasure

    /// - Parameter html: the renderer's output.
    init(written html: [UInt8]) {
        measure = TextMeasure(utf8: Self.text(of: html))
        self.html = String(decoding: Self.withMarkupKept(html), as: UTF8.self).inNFC
    }

    /// Replaces U+0338 by a character reference. After the `>` of a tag, it would compose to `≯` in
    /// NFC, here or at a client that normalizes, and the tag would continue into the text. No other
    /// mark composes with markup characters.
    private static func withMarkupKept(_ html: [UInt8]) -> [UInt8] {
        html.withUnsafeBufferPointer { bytes in
            guard bytes.contains(0xCC) else { return html }
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

    /// The form that is stored.
    var kept: BodyHTML { BodyHTML(renderer: MarkdownRenderer.name, html: html) }

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
