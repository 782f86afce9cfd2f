public import BroadsheetHTTP

/// A cookie in which browsers keep an access token, where scripts cannot read it (RFC 6265).
///
/// Browsers send cookies with requests that any page has caused. So this one counts only if the
/// browser says that a page of the same origin sends the request (`Sec-Fetch-Site`, Fetch Metadata
/// §2.4), only over TLS, and only below one path; otherwise it is as if it were missing. Where it
/// counts, it is the same as `Authorization: Bearer`, which wins if both are sent.
///
/// The value is the token, optionally followed by a `.` and data of the application.
///
/// ```swift
/// configuration.sessionCookie = SessionCookie("__Host-session", below: "/v1/")
/// ```
public struct SessionCookie: Sendable {
    /// Its name. With the prefix `__Host-`, no other host can set the cookie, and no one over plain
    /// HTTP.
    public let name: String
    private let scope: [UInt8]

    /// - Parameter path: Paths that begin like this are in scope.
    public init(_ name: String, below path: String) {
        self.name = name
        scope = Array(path.utf8)
    }

    /// The fields of responses to requests whose credentials were in the cookie.
    static let varying: HTTPFields = [.vary: "Cookie, Sec-Fetch-Site"]

    /// Returns true if a page of the same origin sent the request, according to the browser.
    public static func isFromSameOrigin(_ fields: borrowing HTTPFields) -> Bool {
        let expected = "same-origin"
        return fields.withOnlyBytes(of: .secFetchSite) { value in
            guard value.count == expected.utf8.count else { return false }
            for (index, byte) in expected.utf8.enumerated() where value[index] != byte {
                return false
            }
            return true
        } ?? false
    }

    /// The cookie's value, if it counts; `nil` also if there are several.
    public func value(in fields: borrowing HTTPFields) -> String? {
        guard Self.isFromSameOrigin(fields) else { return nil }
        let values = values(in: fields)
        return values.count == 1 ? values[0] : nil
    }

    /// The token in the cookie's value, if it counts.
    func token(in fields: borrowing HTTPFields) -> String? {
        value(in: fields).map { String($0.prefix { $0 != "." }) }
    }

    /// Returns true if the cookie was sent at all.
    func isIn(_ fields: borrowing HTTPFields) -> Bool {
        fields.contains(.cookie) && !values(in: fields).isEmpty
    }

    func isInScope(_ target: RequestTarget) -> Bool { target.path.starts(with: scope) }

    /// The values of all cookies with the name, as RFC 6265 §4.2.1 separates them.
    private func values(in fields: borrowing HTTPFields) -> [String] {
        let prefix = name + "="
        return fields.values(of: .cookie).flatMap { line in
            line.split(separator: ";").map { $0.drop { $0 == " " || $0 == "\t" } }
                .filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        }
    }
}
