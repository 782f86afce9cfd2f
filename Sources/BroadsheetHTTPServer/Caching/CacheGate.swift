public import BroadsheetHTTP

/// Decides which requests may be served from the cache, without asking their routes.
///
/// A cache is only exact if it is notified of each change before that is visible. Where other
/// processes change the same data, this process may be behind, and its routes wait until it is not.
/// Called on the event loops for each request: it must cost little. Safe to use from any thread.
///
/// ```swift
/// struct FreshGate: CacheGate {
///     func isOpen(to fields: borrowing HTTPFields) -> Bool {
///         !fields.contains(.broadsheetAfter)
///     }
/// }
/// ```
public protocol CacheGate: Sendable {
    /// Returns true if cached responses are recent enough for a request with these fields.
    func isOpen(to fields: borrowing HTTPFields) -> Bool
}
