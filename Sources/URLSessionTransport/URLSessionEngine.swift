import ArticleClient
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The one session, and which of its tasks belongs to which exchange.
// Its mutable state is in `Guarded`; the session is made once and may be used from any thread.
final class URLSessionEngine: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    static let shared = URLSessionEngine()

    private let exchanges = Guarded([Int: URLSessionExchange]())
    /// `cancel()` is called here alone: from within a task's cancellation handler it can deadlock
    /// on Linux.
    private let cancellations = DispatchQueue(label: "broadsheet.urlsession.cancellations")
    private lazy var session = makeSession()

    private override init() {
        super.init()
        // Made before anybody can race for it.
        _ = session
    }

    private func makeSession() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        // There is a cache above, which says what it does.
        configuration.urlCache = nil
        configuration.requestCachePolicy = .reloadIgnoringLocalCacheData
        configuration.httpCookieStorage = nil
        configuration.httpShouldSetCookies = false
        configuration.urlCredentialStorage = nil
        configuration.httpMaximumConnectionsPerHost = 8
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    /// Exchanges that have not ended.
    var count: Int { exchanges.withLock { $0.count } }

    func begin(_ request: URLRequest, _ exchange: URLSessionExchange) {
        let task = session.dataTask(with: request)
        let identifier = task.taskIdentifier
        exchanges.withLock { $0[identifier] = exchange }
        exchange.began { [self] in
            cancellations.async { task.cancel() }
        }
        task.resume()
    }

    private func exchange(of task: URLSessionTask) -> URLSessionExchange? {
        exchanges.withLock { $0[task.taskIdentifier] }
    }

    // MARK: Told by the session

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
        // The answer itself is the answer: whoever asked follows it, or not.
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
            // A 401 with `Basic` would never complete. By now all of the answer is there.
            exchange(of: task)?.completed(task.response, nil)
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let exchange = exchanges.withLock { $0.removeValue(forKey: task.taskIdentifier) }
        exchange?.completed(task.response, error)
    }
}
