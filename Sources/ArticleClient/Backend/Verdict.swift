import ArticleAPI
import BroadsheetHTTP

/// The rule that tells the backend's responses from those of anything on the way to it: captive
/// portals, filters, proxies, load balancers.
///
/// The backend's are successful responses of the expected media type, and problem documents whose
/// type the configuration knows. Everything else is a failure of the network, which says nothing
/// about the request, its session or its copies, and which a later attempt may not meet.
struct Verdict: Sendable {
    /// The media type of a successful response; `nil` without a body.
    let mediaType: String?
    /// The status of a successful response without a body.
    let success: HTTPStatus
    /// `BackendConfiguration.problemTypes`.
    let problemTypes: Set<String>?

    /// The error that a response means; `nil` for a successful one.
    ///
    /// - Parameters:
    ///   - response: the response, with a complete body unless it is successful.
    ///   - retryAfter: the delay for which it asks.
    func error(
        in response: HTTPResponse, retryAfter: @autoclosure () -> Duration?
    ) -> BackendError? {
        let status = response.status
        if (200..<300).contains(status.code) {
            return isExpected(response) ? nil : Self.foreign(response, retryAfter())
        }
        if status == .notModified { return nil }
        guard var problem = problem(in: response) else {
            return Self.foreign(response, retryAfter())
        }
        problem.status = status.code
        problem.retryAfter = retryAfter()
        return status == .unauthorized ? .unauthorized(problem) : .problem(problem)
    }

    private func isExpected(_ response: HTTPResponse) -> Bool {
        guard let text = response.fields[.contentType] else {
            // Without a type, the content decides.
            return mediaType != nil || response.status == .noContent || response.status == success
        }
        // Compared first, because it costs less than to parse it.
        if text == mediaType { return true }
        guard let type = MediaType(text) else { return false }
        switch mediaType {
        case "application/json"?: return type.subtype == "json" || type.subtype.hasSuffix("+json")
        // Anything else would be waited for until it stalls.
        case "text/event-stream"?: return type.is("text/event-stream")
        case nil: return !type.isHTML && response.status == success
        case let expected?: return !type.isHTML || type.is(expected)
        }
    }

    private func problem(in response: HTTPResponse) -> Problem? {
        guard case .bytes(let bytes) = response.body,
            response.fields[.contentType].flatMap({ MediaType($0) })?.is(Problem.mediaType) == true,
            let problem = try? Problem(mapping: bytes),
            problemTypes?.contains(problem.type) ?? true
        else {
            guard problemTypes == nil else { return nil }
            return Problem(
                type: "about:blank", title: response.status.reason, status: response.status.code)
        }
        return problem
    }

    /// The failure of a response that is not the backend's.
    static func foreign(_ response: HTTPResponse, _ retryAfter: Duration?) -> BackendError {
        foreign(response.status, response.fields, retryAfter)
    }

    private static func foreign(
        _ status: HTTPStatus, _ fields: HTTPFields, _ retryAfter: Duration?
    ) -> BackendError {
        let type = fields[.contentType].map { " with \($0.prefix(100))" } ?? ""
        var failure = TransportFailure(
            .foreign, "something other than the backend responded: \(status.code)\(type)")
        failure.status = status
        failure.retryAfter = retryAfter
        return .transport(failure)
    }

    /// The error for a successful response that cannot be decoded.
    static func error(
        _ error: ResponseMapperError, mapping received: CallResponse
    ) -> BackendError {
        // What is no JSON at all does not come from a backend, whose version may differ.
        (try? JSONParser.parse(received.bytes)) == nil
            ? foreign(received.status, received.fields, nil) : .mapping(error)
    }
}

extension MediaType {
    fileprivate var isHTML: Bool { subtype == "html" || subtype == "xhtml+xml" }
}

extension HTTPResponse {
    /// Collects the beginning of a streamed body if the response is unsuccessful, which is enough
    /// to decode its problem.
    mutating func collectUnlessSuccessful() async throws(BackendError) {
        guard case .stream(let stream) = body, !(200..<300).contains(status.code) else { return }
        var bytes: [UInt8] = []
        do {
            while bytes.count < 64 << 10, let piece = try await stream.next() { bytes += piece }
        } catch { throw BackendError(streaming: error) }
        body = .bytes(bytes)
    }
}

extension BackendError {
    /// Creates the error with which a body was interrupted.
    init(streaming error: any Error) {
        switch error {
        case let error as BackendError: self = error
        case let error as TransportError: self = BackendError(error)
        default: self = .transport(TransportFailure(.disconnected, "\(error)"))
        }
    }
}
