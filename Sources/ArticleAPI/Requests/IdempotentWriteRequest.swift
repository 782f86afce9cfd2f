/// A write that can be sent again without being done again: `Idempotency-Key`.
///
/// For 24 hours the key belongs to the caller, the method and the path. The same request with it
/// gets the first one's result, another request with it is refused (422), and so is one while the
/// first is under way (409).
public protocol IdempotentWriteRequest: BackendAPIRequest {
    /// 1 to 200 printable ASCII characters without spaces; best a new UUID for each write.
    var idempotencyKey: String? { get set }
}
