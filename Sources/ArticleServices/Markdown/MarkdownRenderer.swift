import ArticleAPI
import CMarkdown
import Network

/// Makes HTML of Markdown (GitHub's flavour, by libcmark-gfm): without raw HTML, without links that
/// run scripts.
///
/// Whatever the text, time, memory and output are bounded: it is rendered in a process of its own,
/// which ends when it goes beyond. So does a fault in the library.
public final class MarkdownRenderer: Sendable {
    private let limits: MarkdownLimits
    private let pool: BlockingPool
    private let idle = Lock<[MarkdownWorker]>([])

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
        let result: Result<RenderedBody, ServiceError>
        do {
            result = try await pool.run {
                Result { () throws(ServiceError) in try self.renderNow(body) }
            }
        } catch { throw .busy }
        return try result.get()
    }

    /// Renders a body on this thread, which is none of an event loop.
    func renderNow(_ body: String) throws(ServiceError) -> RenderedBody {
        if body.isEmpty { return RenderedBody(written: []) }
        for _ in 0..<2 {
            let worker = try idleWorker()
            switch worker.render(body, limits) {
            case .rendered(let html):
                rest(worker)
                return RenderedBody(written: html)
            case .refused(let outcome):
                if !outcome.endsWorker { rest(worker) }
                throw .invalidValue("/body", limits.refusal(outcome))
            case .stuck: throw .unavailable(cause: "a Markdown worker did not answer")
            // Perhaps it was ended from outside: the text alone is to blame if it happens again.
            case .lost: continue
            }
        }
        throw .invalidValue("/body", "cannot be rendered as Markdown")
    }

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
    /// What is wrong with a text, in words that follow the name of its place.
    fileprivate func refusal(_ outcome: broadsheet_markdown_outcome) -> String {
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

extension broadsheet_markdown_outcome {
    fileprivate var endsWorker: Bool {
        self != BROADSHEET_MARKDOWN_TOO_DEEP && self != BROADSHEET_MARKDOWN_TOO_LONG
    }
}
