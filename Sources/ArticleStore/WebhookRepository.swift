public import ArticleAPI

/// Stores the positions of the receivers of webhooks in the changes. This is not part of the change
/// sequence: observers are not notified.
///
/// Safe to use from any thread.
///
/// ```swift
/// var record = WebhookRecord(url: digest, token: page.next)
/// try await store.putWebhook(record)
/// record.failingSince = time
/// try await store.putWebhook(record)
/// try await store.removeWebhooks(except: [digest])
/// ```
public protocol WebhookRepository: Sendable {
    /// All records, in the order of their digests.
    func webhooks() async throws(StoreError) -> [WebhookRecord]

    /// Stores the record, in place of the one of the same URL. Throws `.unavailable` if another
    /// process leads, whose position may be a later one.
    func putWebhook(_ record: WebhookRecord) async throws(StoreError)

    /// Removes the records of all URLs but these. Throws like `putWebhook`.
    func removeWebhooks(except urls: Set<[UInt8]>) async throws(StoreError)
}

/// The position of one receiver in the changes. See ``WebhookRepository``.
public struct WebhookRecord: Sendable, Hashable {
    /// The SHA-256 of the receiver's URL (32 bytes), which may contain secrets.
    public var url: [UInt8]
    /// The token of the next batch: the `next` of the last one, at most 500 characters.
    public var token: String
    /// The time of the first failure since the last delivery; `nil` if there was none.
    public var failingSince: Timestamp?
    /// True if changes before `token` were skipped, which the next batch has to say.
    public var isReset: Bool

    public init(
        url: [UInt8], token: String, failingSince: Timestamp? = nil, isReset: Bool = false
    ) {
        self.url = url
        self.token = token
        self.failingSince = failingSince
        self.isReset = isReset
    }
}
