/// A client whose credentials are valid but grant no more than anonymous access, so that it can be
/// served from the public cache.
public final class PublicReader: Sendable {
    /// The key that the reader's requests are counted by, whatever address they come from.
    let key: RateLimitKey

    /// - Parameter account: The same account as admission returns for the reader.
    public init(account: String) { key = RateLimitKey(account: account) }
}

/// Identifies readers by their credentials.
public protocol PublicReaders: Sendable {
    /// The reader with these credentials; `nil` if that cannot be decided at once, or the
    /// credentials are invalid or grant more than anonymous access. The route then authenticates
    /// the request. This runs on the connection's event loop and must be quick.
    ///
    /// - Parameter authorization: The value of `Authorization`.
    func reader(of authorization: borrowing Span<UInt8>) -> PublicReader?
}
