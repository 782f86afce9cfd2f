/// Someone whose credentials are good and show no more than everybody sees: what is kept for
/// everybody answers such a reader, too.
public final class PublicReader: Sendable {
    /// By what the reader's requests are counted, wherever they come from.
    let key: RateLimitKey

    /// - Parameter account: the same as in the `Visitor` that admission makes of the reader.
    public init(account: String) { key = RateLimitKey(account: account) }
}

/// Knows readers by their credentials.
public protocol PublicReaders: Sendable {
    /// Whose credentials these are; `nil` if that takes more than a look, they are not good, or
    /// they show more than everybody sees: the request is then admitted by its route. It runs on
    /// the connection's event loop and must be quick.
    ///
    /// - Parameter authorization: the value of `Authorization`.
    func reader(of authorization: borrowing Span<UInt8>) -> PublicReader?
}
