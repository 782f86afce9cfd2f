import HTTP

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The request that a redirect leads to (RFC 9110 §15.4).
struct Redirect {
    let request: HTTPRequest
    let origin: HTTPOrigin

    /// The fields that are also sent to another origin, because it needs them to respond. Others,
    /// such as an app's own headers, may contain secrets for the backend.
    private static let harmless: [HTTPFieldName] = [
        .accept, .acceptEncoding, .ifModifiedSince, .ifNoneMatch, .range,
        .userAgent,
    ]

    /// `nil` for a response that is not a redirect, or if following it would change the meaning of
    /// the request. A redirect of a write to another origin is an error.
    init?(
        _ response: HTTPResponse, of request: HTTPRequest, from origin: HTTPOrigin
    ) throws(BackendError) {
        guard let location = response.fields[.location],
            let method = Self.method(response.status, request.method),
            let (target, next) = Self.resolve(location, request.target, origin)
        else { return nil }
        var request = request
        request.target = target
        if method != request.method {
            request.method = method
            request.body = []
            request.fields.remove(.contentType)
        }
        if next != origin {
            guard method.isSafe, request.body.isEmpty else {
                throw .transport(
                    TransportFailure(
                        .redirected, "writes do not follow redirects to another origin: \(next)"))
            }
            request.fields.removeAll(except: Self.harmless)
        }
        self.request = request
        self.origin = next
    }

    private static func method(_ status: HTTPStatus, _ method: HTTPMethod) -> HTTPMethod? {
        switch status {
        case .movedPermanently, .found: method.isSafe ? method : nil
        case .seeOther: method == .head ? .head : .get
        case .temporaryRedirect, .permanentRedirect: method
        default: nil
        }
    }

    /// Resolves the reference against the request's URI (RFC 3986 §5).
    private static func resolve(
        _ location: String, _ target: RequestTarget, _ origin: HTTPOrigin
    ) -> (RequestTarget, HTTPOrigin)? {
        let isUnix = origin.place.isUnix
        let base = URL(string: (isUnix ? "http://localhost" : origin.description) + "\(target)")
        guard let base, let url = URL(string: location, relativeTo: base)?.absoluteURL,
            let components = URLComponents(url: url, resolvingAgainstBaseURL: true),
            let scheme = components.scheme, let host = components.percentEncodedHost
        else { return nil }
        let path = components.percentEncodedPath
        guard
            let next = HTTPOrigin(
                "\(scheme)://\(host)" + (components.port.map { ":\($0)" } ?? "")),
            let target = RequestTarget(
                path: path.isEmpty ? "/" : path, query: components.percentEncodedQuery)
        else { return nil }
        // A server on a Unix socket calls itself localhost.
        if isUnix, next == HTTPOrigin("http://localhost") { return (target, origin) }
        // A redirect must not downgrade https to http.
        guard origin.scheme == .http || next.scheme == .https else { return nil }
        return (target, next)
    }
}
