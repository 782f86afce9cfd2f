import ArticleAPI
import ArticleImportExport
import ArticleServiceCore
import BroadsheetHTTP
import BroadsheetHTTPClient
import BroadsheetPlatform

/// The reason why a source could not be polled.
struct SourceFailure: Error, Sendable, Hashable {
    /// A sentence without secrets: no path and no query.
    let reason: String
    /// The time that the source asks to wait.
    let retryAfterSeconds: Int64?

    /// - Parameter reason: the reason, which may quote the response of the source.
    init(_ reason: String, retryAfterSeconds: Int64? = nil) {
        let line = reason.onOneLine
        self.reason = String(line.unicodeScalars.prefix(Self.limit))
        self.retryAfterSeconds = retryAfterSeconds
    }

    private static let limit = 500

    /// Nobody waits for the poll any more.
    static let cancelled = SourceFailure("the poll was cancelled")
}

/// The response of a source, after redirects.
struct SourceResponse: Sendable {
    let status: HTTPStatus
    package let fields: HTTPFields
    let body: [UInt8]
    let url: HTTPURL
    /// True if every redirect on the way here was permanent.
    let isPermanent: Bool
    /// The number of redirects.
    let redirects: Int
}

/// Fetches from sources, and follows their redirects: each URL and each address is checked.
struct SourceFetcher: Sendable {
    let policy: SourcePolicy
    let environment: OutboundEnvironment

    /// Bytes of a response, after decoding gzip.
    package static let limitBytes = 10 << 20
    /// Redirects of one request.
    static let limitRedirects = 5
    /// The longest time that a source can ask to wait.
    static let limitWaitSeconds: Int64 = 86_400

    /// - Parameter deadline: when the response has to be complete.
    package func fetch(
        _ start: HTTPURL, _ fields: HTTPFields, by deadline: Duration
    ) async throws(SourceFailure) -> SourceResponse {
        var url = start
        var isPermanent = true
        for redirects in 0...Self.limitRedirects {
            let response = try await send(to: url, fields, by: deadline)
            guard let isPermanentStep = Self.redirects(response.status) else {
                guard case .bytes(let body) = response.body else {
                    throw SourceFailure("the response has no body that can be read")
                }
                return SourceResponse(
                    status: response.status, fields: response.fields, body: body, url: url,
                    isPermanent: isPermanent, redirects: redirects)
            }
            isPermanent = isPermanent && isPermanentStep
            guard let location = response.fields[.location] else {
                throw SourceFailure(
                    "the response has the status \(response.status.code), but no Location")
            }
            do throws(HTTPURL.Fault) {
                url = try policy.url(location, from: url)
            } catch {
                throw SourceFailure("\(url.origin) redirects to a URL that \(error)")
            }
        }
        throw SourceFailure("there are more than \(Self.limitRedirects) redirects")
    }

    private func send(
        to url: HTTPURL, _ fields: HTTPFields, by deadline: Duration
    ) async throws(SourceFailure) -> HTTPResponse {
        var fields = fields
        fields.append(.userAgent, environment.agent)
        do throws(HTTPClientError) {
            return try await environment.get(
                url, fields, limitBytes: Self.limitBytes, by: deadline)
        } catch {
            guard case .forbiddenAddress = error else { throw SourceFailure(error.description) }
            throw SourceFailure(
                "\(url.origin) does not have a public Internet address (other addresses require "
                    + "--allow-private-sources)")
        }
    }

    /// Returns true if a redirect is permanent (RFC 9110 §15.4); `nil` for other statuses.
    private static func redirects(_ status: HTTPStatus) -> Bool? {
        switch status {
        case .movedPermanently, .permanentRedirect: true
        case .found, .seeOther, .temporaryRedirect: false
        default: nil
        }
    }
}

extension SourceResponse {
    /// True if it has the requested content; a proxy may have changed it (203).
    var isSuccess: Bool { status == .ok || status == .nonAuthoritativeInformation }

    /// Returns the failure of a body of another format than expected.
    func unreadable(as what: String) -> SourceFailure {
        // Codings that the client could decode are not among the fields.
        guard let coding = fields.combined(.contentEncoding), coding.lowercased() != "identity"
        else { return SourceFailure("the response is not \(what)") }
        return SourceFailure(
            "the response has the content coding \(coding), which is not supported, and is not "
                + what)
    }

    /// The failure that a status means which is neither 200 nor 304.
    func failure(at now: Timestamp) -> SourceFailure {
        SourceFailure(
            "\(url.origin) responded with the status \(status.code)",
            retryAfterSeconds: retryAfterSeconds(at: now))
    }

    /// `Retry-After` (RFC 9110 §10.2.3), at most a day.
    private func retryAfterSeconds(at now: Timestamp) -> Int64? {
        guard let text = fields[.retryAfter] else { return nil }
        let seconds =
            Int64(text) ?? HTTPDate.seconds(text).map { $0 - now.milliseconds / 1_000 }
        return seconds.map { min(max($0, 0), SourceFetcher.limitWaitSeconds) }
    }
}
