package import ArticleResources
package import ArticleServiceCore
public import ArticleStore

/// Sends the public's changes to the receivers of webhooks.
///
/// Commits only wake the senders: writers never wait for a receiver. Each receiver has its own
/// task, so that one that fails does not delay the others.
public final class Webhooks: Sendable {
    private let store: any ArticleStore
    private let senders: [WebhookSender]

    public static let limitReceivers = 16
    /// As far as undelivered changes are counted.
    public static let limitPending = 500

    /// Reads the positions of the receivers. A new receiver starts at the present.
    package init(
        _ receivers: [WebhookReceiver], store: any ArticleStore, changes: ChangeService,
        _ environment: OutboundEnvironment, report: @escaping @Sendable (WebhookNotice) -> Void
    ) async throws(StoreError) {
        self.store = store
        let records = try await store.webhooks()
        var senders: [WebhookSender] = []
        for (index, receiver) in receivers.enumerated() {
            let digest = receiver.digest
            let stored = records.first { $0.url == digest }
            let record =
                if let stored { stored } else {
                    try await Self.beginning(of: digest, in: store, changes)
                }
            senders.append(
                WebhookSender(
                    number: index + 1, receiver, record, store: store, changes: changes,
                    environment, report: report))
        }
        self.senders = senders
        if !senders.isEmpty { store.observeChanges(self) }
    }

    /// The record of a new receiver.
    private static func beginning(
        of url: [UInt8], in store: any ArticleStore, _ changes: ChangeService
    ) async throws(StoreError) -> WebhookRecord {
        let record: WebhookRecord
        do throws(ServiceError) {
            record = WebhookRecord(url: url, token: try await changes.publicPresent())
        } catch { throw .unavailable(error.reason) }
        // A server also starts with a full disk, or beside the leader; the first delivery stores
        // the record then.
        try? await store.putWebhook(record)
        return record
    }

    /// The counters of the receivers, in the order of the configuration.
    public var statistics: [WebhookStatistics] { senders.map(\.statistics) }

    /// Returns the number of changes that each receiver does not have yet, in the order of the
    /// configuration: at most `limitPending`, `nil` if they cannot be read.
    public func pendingChanges() async -> [Int?] {
        var counts: [Int?] = []
        for sender in senders { counts.append(await sender.pendingChanges()) }
        return counts
    }

    /// Sends changes until the task is cancelled; batches in flight are then abandoned. Called
    /// once, by the process that serves.
    public func run() async {
        await store.node.waitForLeadership()
        // The positions of former receivers do no harm if they cannot be removed.
        try? await store.removeWebhooks(except: Set(senders.map(\.url)))
        await withTaskGroup { group in
            for sender in senders { group.addTask { await sender.run() } }
        }
    }
}

extension Webhooks: ChangeObserver {
    public func didCommit(_ changes: CommitChanges) {
        let isPublic = changes.records?.contains { $0.isPublic && $0.isOfContent } ?? true
        guard isPublic else { return }
        for sender in senders { sender.wake() }
    }
}
