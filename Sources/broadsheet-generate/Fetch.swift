import BroadsheetCommandLine
import BroadsheetHTTP
import Foundation

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// The reason why there is no response.
struct FetchError: Error {
    let reason: String
}

/// One GET request by URLSession, which would follow redirects, and wait and read without limits.
// Its variables are used on `queue` only.
final class Fetch: NSObject, URLSessionDataDelegate, @unchecked Sendable {
    private typealias Outcome = Result<FetchedText, FetchError>

    private let limits: FetchLimits
    private let queue: DispatchQueue
    private let end: CheckedContinuation<Outcome, Never>
    private var head: HTTPURLResponse?
    private var body = Data()
    /// The reason why the request was cancelled.
    private var excess: String?

    private init(
        _ limits: FetchLimits, _ queue: DispatchQueue, _ end: CheckedContinuation<Outcome, Never>
    ) {
        self.limits = limits
        self.queue = queue
        self.end = end
    }

    static func text(of url: URL, _ limits: FetchLimits) async throws(FetchError) -> FetchedText {
        var request = URLRequest(url: url)
        request.setValue("application/json", forHTTPHeaderField: "Accept")
        request.setValue("broadsheet", forHTTPHeaderField: "User-Agent")
        let outcome = await withCheckedContinuation { end in
            let queue = DispatchQueue(label: "broadsheet.fetch")
            Fetch(limits, queue, end).begin(request)
        }
        return try outcome.get()
    }

    private func begin(_ request: URLRequest) {
        let calls = OperationQueue()
        calls.underlyingQueue = queue
        // The session keeps its delegate.
        let session = URLSession(
            configuration: .ephemeral, delegate: self, delegateQueue: calls)
        let task = session.dataTask(with: request)
        // On Linux, the session's own limit restarts with each byte.
        queue.asyncAfter(deadline: .now() + .seconds(limits.seconds)) { [self] in
            excess = "the response takes longer than \(limits.seconds) s"
            task.cancel()
        }
        task.resume()
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) {
        head = response as? HTTPURLResponse
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        guard data.count > limits.bodyBytes - body.count else {
            body += data
            return
        }
        excess = "the response is longer than \(limits.bodyBytes) bytes"
        dataTask.cancel()
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) {
        head = response
        completionHandler(nil)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        #if canImport(FoundationNetworking)
            // A 401 with `Basic` would never complete there.
            head = task.response as? HTTPURLResponse
            completionHandler(.cancelAuthenticationChallenge, nil)
        #else
            completionHandler(.performDefaultHandling, nil)
        #endif
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        end.resume(returning: outcome(error))
    }

    private func outcome(_ error: (any Error)?) -> Outcome {
        if let excess { return .failure(FetchError(reason: excess)) }
        guard let head, error == nil || head.statusCode != HTTPStatus.ok.code else {
            let reason = error?.localizedDescription ?? "the response is not HTTP"
            return .failure(FetchError(reason: reason))
        }
        let location = head.value(forHTTPHeaderField: "Location")
        return .success(
            FetchedText(status: head.statusCode, location: location, body: [UInt8](body)))
    }
}
