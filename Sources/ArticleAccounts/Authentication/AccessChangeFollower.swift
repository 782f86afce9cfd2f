package import ArticleAPI
package import ArticleStore

/// Evicts credentials and slugs revoked by other processes.
package struct AccessChangeFollower: Sendable {
    let store: any ArticleStore
    let access: Authenticator
    /// Called with articles of which something was purged.
    let purged: @Sendable (Article.ID) -> Void

    package init(
        store: any ArticleStore, access: Authenticator,
        purged: @escaping @Sendable (Article.ID) -> Void
    ) {
        self.store = store
        self.access = access
        self.purged = purged
    }

    /// Follows the other processes until the task is cancelled.
    package func run() async {
        await store.node.followAccess { (changes) throws(StoreError) in try await apply(changes) }
    }

    private func apply(_ changes: [AccessChange]) async throws(StoreError) {
        var keys: Set<String> = []
        for change in changes {
            switch change {
            case .key(let id): keys.insert(id)
            case .renewal(let session): access.sessions.renewed(session)
            case .session(let id, let user): access.sessions.end(id, of: user)
            case .user(let id, let kept): try await reload(id, keeping: kept)
            case .purge(let id): purged(id)
            case .all: return try await reloadEverything()
            }
        }
        if !keys.isEmpty { try await reloadKeys(keys) }
    }

    private func reload(_ id: User.ID, keeping kept: String?) async throws(StoreError) {
        do throws(StoreError) {
            access.userChanged(try await store.user(id), keeping: kept)
        } catch {
            guard case .notFound = error else { throw error }
            access.userDeleted(id)
        }
    }

    private func reloadEverything() async throws(StoreError) {
        try await reloadKeys(nil)
        access.sessions.forgetAll()
    }

    /// - Parameter ids: the keys that were changed; `nil` if any key may have been.
    private func reloadKeys(_ ids: Set<String>?) async throws(StoreError) {
        var isCurrent = false
        // Ends as soon as no service of this process changes a key while the keys are read.
        while !isCurrent {
            let count = access.keys.changeCount
            let (records, owners) = try await store.keysWithOwners()
            isCurrent = access.keys.takeOver(ids, of: records, owners: owners, readAt: count)
        }
    }
}

extension ArticleStore {
    /// All keys, and the users that they act for.
    package func keysWithOwners() async throws(StoreError) -> (
        keys: [KeyRecord], owners: [UserRecord]
    ) {
        let keys = try await keys()
        var owners: [UserRecord] = []
        for id in Set(keys.compactMap(\.owner)) {
            do throws(StoreError) { owners.append(try await user(id)) } catch {
                guard case .notFound = error else { throw error }
            }
        }
        return (keys, owners)
    }
}
