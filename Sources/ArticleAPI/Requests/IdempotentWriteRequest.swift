/// A write that can be repeated safely, by its `Idempotency-Key`.
///
/// A key is valid for 24 hours, for one caller, method and path. The same request with the same key
/// gets the first response again. A different request with it is rejected (422), and so is the same
/// request while the first one is still in progress (409).
public protocol IdempotentWriteRequest: BackendAPIRequest {
    /// 1 to 200 printable ASCII characters without spaces; preferably a new UUID for each write.
    var idempotencyKey: String? { get set }
}
