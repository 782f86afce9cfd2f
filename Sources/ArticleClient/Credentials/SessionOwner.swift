/// The owner of a session.
package enum SessionOwner: Sendable, Hashable {
    /// No credentials are sent.
    case anonymous
    /// `Credentials.account`.
    case account(String)
    /// Credentials that do not name their account.
    case unknown

    /// - Parameter account: `nil` for anonymous requests.
    package init(_ account: String?) { self = account.map(Self.account) ?? .anonymous }
}
