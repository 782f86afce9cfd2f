import ArticleClient
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// A session, and the exchanges to which its tasks belong.
// Its mutable state is in `Locked`; the session is made once and may be used from any thread.
final class URLSessionEngine: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    static let shared = URLSessionEngine(.ephemeral, URLSessionHooks())

    private let exchanges = Locked([Int: URLSessionExchange]())
    /// Held while tasks are created, because an invalidated session raises an exception instead of
    /// creating a task. The delegate's methods do not acquire this lock.
    private let isInvalid = Locked(false)
    /// `cancel()` is only called on this queue: within a task's cancellation handler it can
    /// deadlock on Linux.
    private let cancellations = DispatchQueue(label: "broadsheet.urlsession.cancellations")
    private let hooks: URLSessionHooks
    private let configuration: URLSessionConfiguration
    private lazy var session = URLSession(
        configuration: configuration, delegate: self, delegateQueue: nil)

    init(_ configuration: URLSessionConfiguration, _ hooks: URLSessionHooks) {
        self.hooks = hooks
        self.configuration = Self.adapted(configuration)
        super.init()
        // The lazy property is initialised before there can be a race.
        _ = session
    }

    private static func adapted(_ original: URLSessionConfiguration) -> URLSessionConfiguration {
        let configuration = original.copy() as? URLSessionConfiguration ?? .ephemeral
        // `ResponseCache` does the caching.
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = 8
        return configuration
    }

    /// The number of exchanges that have not ended.
    var count: Int { exchanges.withLock { $0.count } }

    func begin(_ request: URLRequest, _ exchange: URLSessionExchange) {
        let task = isInvalid.withLock { isInvalid -> URLSessionDataTask? in
            guard !isInvalid else { return nil }
            let task = session.dataTask(with: request)
            let identifier = task.taskIdentifier
            exchanges.withLock { $0[identifier] = exchange }
            return task
        }
        guard let task else {
            return exchange.end(
                .failed(TransportFailure(.unsupported, "The transport was invalidated.")))
        }
        exchange.began(
            cancel: { [cancellations] in cancellations.async { task.cancel() } },
            flow: Self.flow(task))
        task.resume()
    }

    /// Returns the means of backpressure; `nil` on Linux, where a suspended task starts again when
    /// it is resumed.
    private static func flow(_ task: URLSessionTask) -> URLSessionStream.Flow? {
        #if os(Linux)
            nil
        #else
            URLSessionStream.Flow(pause: { task.suspend() }, goOn: { task.resume() })
        #endif
    }

    /// Ends the exchanges in progress and accepts no more.
    func invalidate() {
        let isFirst = isInvalid.withLock { isInvalid in
            defer { isInvalid = true }
            return !isInvalid
        }
        guard isFirst else { return }
        let exchanges = exchanges.withLock { Array($0.values) }
        for exchange in exchanges { exchange.end(.cancelled) }
        #if !os(Linux)
            session.invalidateAndCancel()
        #endif
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    // MARK: Delegate methods

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        exchange(of: dataTask)?.received(response)
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        exchange(of: dataTask)?.received(data)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64,
        totalBytesSent: Int64, totalBytesExpectedToSend: Int64
    ) {
        exchange(of: task)?.sent(Int(totalBytesSent))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        // The redirect is delivered as the response; the caller decides whether to follow it.
        exchange(of: task)?.received(response)
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if os(Linux)
            // A 401 with `Basic` would never complete; by now the whole response has arrived.
            exchange(of: task)?.completed(task.response, nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            guard let decide = hooks.challenge else {
                return completionHandler(.performDefaultHandling, nil)
            }
            let exchange = exchange(of: task)
            decide(challenge) { disposition, credential in
                // The session will only report that the task was cancelled.
                if disposition == .cancelAuthenticationChallenge { exchange?.distrusts() }
                completionHandler(disposition, credential)
            }
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        hooks.metrics?(metrics)
    }

    func urlSession(_ session: URLSession, taskIsWaitingForConnectivity task: URLSessionTask) {
        hooks.waiting?()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.completed(task.response, error)
    }
}
