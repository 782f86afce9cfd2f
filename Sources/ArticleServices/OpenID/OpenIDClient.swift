public import HTTP
public import HTTPClient
public import Platform

/// Fetches a document of a provider before a deadline.
public typealias OpenIDFetch =
    @Sendable (_ url: HTTPURL, _ deadline: ContinuousClock.Instant)
    async throws(OpenIDFailure) -> OpenIDDocument

/// A document of a provider. A value; use it anywhere. See ``OpenIDClient``.
public struct OpenIDDocument: Sendable {
    public var body: [UInt8]
    /// How long it may be used without being fetched again (`Cache-Control`); `nil`: unknown.
    public var maxAgeSeconds: Int64?

    public init(body: [UInt8], maxAgeSeconds: Int64? = nil) {
        self.body = body
        self.maxAgeSeconds = maxAgeSeconds
    }
}

/// Why the keys of a provider cannot be fetched. The reason is only logged.
public struct OpenIDFailure: Error, Sendable {
    public let reason: String

    public init(reason: String) { self.reason = reason }
}

/// Fetches documents of providers over HTTPS. Redirects are not followed.
///
/// Safe to use from any thread.
public final class OpenIDClient: Sendable {
    private let client: HTTPClient

    private static let limitBytes = 256 << 10

    /// - Parameter connections: with the authorities that are trusted.
    public init(_ connections: HTTPClientConfiguration = .init()) throws(SystemError) {
        client = try HTTPClient(connections)
    }

    public func fetch(
        _ url: HTTPURL, by deadline: ContinuousClock.Instant
    ) async throws(OpenIDFailure) -> OpenIDDocument {
        let left = deadline - .now
        var options = ExchangeOptions()
        options.deadlineMilliseconds = max(1, Int64(left / .milliseconds(1)))
        options.bodyBytes = Self.limitBytes
        let response: HTTPResponse
        do throws(HTTPClientError) {
            let request = HTTPRequest(.get, url.target, fields: [.accept: "application/json"])
            response = try await client.send(request, to: url.origin, options: options)
        } catch { throw OpenIDFailure(reason: "\(url): \(error)") }
        guard response.status == .ok, case .bytes(let body) = response.body else {
            throw OpenIDFailure(reason: "\(url): the status is \(response.status.code), not 200")
        }
        return OpenIDDocument(body: body, maxAgeSeconds: Self.maxAge(response.fields))
    }

    /// RFC 9111 §5.2.2: 0 if the response must not be used without being validated.
    private static func maxAge(_ fields: HTTPFields) -> Int64? {
        var seconds: Int64?
        for directive in (fields.combined(.cacheControl) ?? "").lowercased().split(separator: ",") {
            let text = directive.filter { $0 != " " && $0 != "\t" && $0 != "\"" }
            if text == "no-store" || text == "no-cache" { return 0 }
            if seconds == nil, text.hasPrefix("max-age=") { seconds = Int64(text.dropFirst(8)) }
        }
        return seconds
    }
}
