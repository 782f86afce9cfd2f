import ArticleAPI
import ArticleServiceCore
import BroadsheetHTTPServer

/// A reader whose key or token was verified before. Comparing it avoids computing a digest, which
/// would be most of the cost of a cached response.
struct VerifiedReader: Sendable {
    /// The credentials in `Authorization` after the scheme.
    private let credentials: [UInt8]
    private let reader: PublicReader
    private let expiresAt: Timestamp?

    /// - Parameters:
    ///   - credentials: The key or the access token.
    ///   - account: The account whose rate limit applies.
    ///   - sharesAddress: True if it shares the limit with the readers of its address.
    ///   - sender: Is logged.
    ///   - expiresAt: The time at which the credentials expire; `nil` if they do not.
    init(
        _ credentials: String, account: String, sharesAddress: Bool = false,
        sender: RequestSender?, expiresAt: Timestamp?
    ) {
        self.credentials = Array(credentials.utf8)
        reader = PublicReader(account: account, sharesAddress: sharesAddress, sender: sender)
        self.expiresAt = expiresAt
    }

    /// The reader, if the field ends with the credentials, and they have not expired.
    func reader(
        sending authorization: borrowing Span<UInt8>, now: () -> Timestamp
    ) -> PublicReader? {
        let start = authorization.count - credentials.count
        guard start >= 0, Digest.areEqual(authorization.extracting(start...), credentials),
            expiresAt.map({ now() < $0 }) ?? true
        else { return nil }
        return reader
    }
}
