import ArticleAPI
import CMarkdown
import Sockets

/// Makes HTML of Markdown (GitHub's flavour, by libcmark-gfm): without raw HTML, without links that
/// run scripts.
///
/// Whatever the text, time, memory and output are bounded: it is rendered in a process of its own,
/// which ends when it goes beyond. So does a fault in the library.
public final class MarkdownRenderer: Sendable {
    private let limits: MarkdownLimits
    private let pool: BlockingPool
    private let idle = Lock<[MarkdownWorker]>([])
    /// Each of them has work in the pool, which renders those that come first.
    private let texts = Lock<[WaitingText]>([])
    /// Small texts share a trip to a worker: as many, and of so many bytes together, at most.
    private static let sharedTexts = 8
    private static let sharedBytes = 32 << 10

    /// No process is started before the first text comes.
    public init(limits: MarkdownLimits = MarkdownLimits()) {
        self.limits = limits
        pool = BlockingPool(
            label: "broadsheet.markdown", width: limits.workers, depth: limits.queueDepth)
    }

    /// Bodies that wait for a worker.
    var waiting: Int { pool.waiting }

    /// The library, its version, and how it is used here: HTML by another name is made again.
    static let name = "cmark-gfm \(String(cString: broadsheet_markdown_version())) safe-2"

    /// Renders a body away from the event loops.
    ///
    /// - Throws: `.invalid` with a pointer to the body if that costs too much, `.busy` if too many
    ///   wait, `.unavailable` if no worker can be had.
    func render(_ body: String) async throws(ServiceError) -> RenderedBody {
        if body.isEmpty { return RenderedBody(written: []) }
        let result = await withUnsafeContinuation { continuation in
            let text = WaitingText(body, continuation)
            texts.withLock { $0.append(text) }
            do { try pool.start { self.renderWaiting() } } catch { giveUp(text) }
        }
        return try result.get()
    }

    /// Renders a body on this thread, which is none of an event loop.
    func renderNow(_ body: String) throws(ServiceError) -> RenderedBody {
        if body.isEmpty { return RenderedBody(written: []) }
        for _ in 0..<2 {
            let worker = try idleWorker()
            let outcome = worker.render(body, limits)
            if outcome.keepsWorker { rest(worker) }
            switch outcome {
            case .rendered(let html): return RenderedBody(written: html)
            case .refused(let outcome): throw limits.refusal(outcome)
            case .stuck: throw .unavailable(cause: "a Markdown worker did not answer")
            // Perhaps it was ended from outside: the text alone is to blame if it happens again.
            case .lost: continue
            }
        }
        throw .invalidValue("/body", "cannot be rendered as Markdown")
    }

    // MARK: Texts that wait

    /// A text, and who waits for what becomes of it.
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

    /// The pool is full: the text does not wait, unless it is rendered already.
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
            // What ended the worker of all is rendered by itself.
            guard let text = texts.popFirst() else { return }
            text.finish(Result { () throws(ServiceError) in try renderNow(text.body) })
        }
    }

    /// Those that come next and may share a worker; workers share what waits.
    private func nextTexts() -> [WaitingText] {
        texts.withLock { texts in
            let most = min(Self.sharedTexts, (texts.count + limits.workers - 1) / limits.workers)
            var bytes = 0
            var count = 0
            // Invariant: the first `count` texts have so many bytes, and may share.
            while count < most {
                bytes += texts[count].body.utf8.count
                if count > 0, bytes > Self.sharedBytes { break }
                count += 1
            }
            defer { texts.removeFirst(count) }
            return Array(texts.prefix(count))
        }
    }

    /// Renders texts by one worker, until one of them ends it.
    ///
    /// - Returns: how many of them are finished.
    private func renderTogether(_ texts: [WaitingText]) -> Int {
        guard let worker = try? idleWorker() else { return 0 }
        var finished = 0
        worker.render(texts.map(\.body), limits) { outcome in
            switch outcome {
            case .rendered(let html):
                texts[finished].finish(.success(RenderedBody(written: html)))
            case .refused(let reason) where outcome.keepsWorker:
                texts[finished].finish(.failure(limits.refusal(reason)))
            default: return
            }
            finished += 1
        }
        if finished == texts.count { rest(worker) }
        return finished
    }

    // MARK: Workers

    private func idleWorker() throws(ServiceError) -> MarkdownWorker {
        if let worker = idle.withLock({ $0.popLast() }) { return worker }
        do throws(SystemError) {
            return try MarkdownWorker(patienceSeconds: limits.patienceSeconds)
        } catch { throw .unavailable(cause: "a Markdown worker cannot be started: \(error)") }
    }

    private func rest(_ worker: MarkdownWorker) {
        idle.withLock { idle in
            if idle.count < limits.workers { idle.append(worker) }
        }
    }
}

extension MarkdownLimits {
    fileprivate func refusal(_ outcome: broadsheet_markdown_outcome) -> ServiceError {
        .invalidValue("/body", fault(outcome))
    }

    /// What is wrong with a text, in words that follow the name of its place.
    private func fault(_ outcome: broadsheet_markdown_outcome) -> String {
        switch outcome {
        case BROADSHEET_MARKDOWN_TOO_DEEP:
            "has more than \(depth) elements in one another, as Markdown"
        case BROADSHEET_MARKDOWN_TOO_LONG: "becomes more than \(outputBytes) bytes of HTML"
        case BROADSHEET_MARKDOWN_OUT_OF_MEMORY:
            "needs more than \(memoryBytes >> 20) MiB of memory to be rendered: it nests too deep, "
                + "or its tables have too many cells"
        case BROADSHEET_MARKDOWN_OUT_OF_TIME:
            "takes more than \(milliseconds) ms to be rendered as Markdown"
        default: "cannot be rendered as Markdown"
        }
    }
}
