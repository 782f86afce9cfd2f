public import ArticleAPI
import ArticleClient

/// Values of an app's own: settings, drafts, the state of a screen. They belong to the account of
/// the store, and survive if the file is damaged, as far as they can be read.
///
/// ```swift
/// try await store.setValue([tag], forKey: "followed")
/// let followed = try await store.loadValue([ArticleTag].self, forKey: "followed") ?? []
/// ```
extension ModelStore {
    /// The value of a key; `nil` if there is none, if it has expired, or if it is of another type.
    public func loadValue<Value: ResponseItem>(
        _ type: Value.Type, forKey key: String
    ) throws(OfflineError) -> Value? {
        let time = time()
        let stored = try reading { () throws(OfflineError) in
            try ValueTable.load(key, at: time, from: engine.connection)
        }
        return stored.flatMap { try? ResponseMapper<Value>().map($0.bytes) }
    }

    /// Stores a value under a key, in place of the former one.
    ///
    /// Values have a limit together (``Limits/valueBytes``): those that were stored first are
    /// removed for newer ones.
    ///
    /// - Parameters:
    ///   - value: anything with a form in JSON, or bytes (`RawBody`); `nil` removes the former one.
    ///   - key: any text. Those that begin with `broadsheet.` belong to the SDK.
    ///   - lifetime: the time after which the value expires; `nil` for never.
    /// - Throws: `full` if it is larger than the limit.
    public func setValue<Value: ResponseItem>(
        _ value: Value?, forKey key: String, expiringAfter lifetime: Duration? = nil
    ) throws(OfflineError) {
        try changeValue(Value.self, forKey: key, expiringAfter: lifetime) { $0 = value }
    }

    /// Changes the value of a key, also against other processes that have the same file.
    ///
    /// - Parameters:
    ///   - type: the type of the value.
    ///   - key: as for ``setValue(_:forKey:expiringAfter:)``.
    ///   - lifetime: the time after which the value expires, also if it is the same as before;
    ///     `nil` for never.
    ///   - change: changes the value, which is `nil` if there is none; it may run twice.
    public func changeValue<Value: ResponseItem>(
        _ type: Value.Type, forKey key: String, expiringAfter lifetime: Duration? = nil,
        _ change: @Sendable (inout Value?) -> Void
    ) throws(OfflineError) {
        let time = time()
        let expiresAt = lifetime.map { time.advanced(byMilliseconds: $0.milliseconds) }
        try writing { () throws(OfflineError) in
            let known = try ValueTable.load(key, at: time, from: engine.connection)
            var value = known.flatMap { try? ResponseMapper<Value>().map($0.bytes) }
            change(&value)
            let stored = value.map {
                StoredValue(key: key, bytes: Value.encoding.write($0), expiresAt: expiresAt)
            }
            guard stored != known else { return }
            if let stored {
                guard stored.rowBytes <= engine.limits.valueBytes else { throw .full }
                try ValueTable.store(stored, in: engine.connection)
            } else {
                try ValueTable.remove(key, from: engine.connection)
            }
            engine.note(.value(key))
            let removed = try ValueTable.shrink(
                to: engine.limits.valueBytes, at: time, in: engine.connection)
            for key in removed { engine.note(.value(key)) }
        }
    }

    /// The value of a key, and then again after each change; `nil` while there is none. A value
    /// that expires is announced with the next change.
    public nonisolated func value<Value: ResponseItem & Equatable>(
        _ type: Value.Type, forKey key: String
    ) -> StoreUpdates<Value?> {
        updates(of: .value(key)) { (store) throws(OfflineError) in
            try await store.loadValue(type, forKey: key)
        }
    }

    // MARK: Recent searches

    private static var searchesKey: String { "broadsheet.recentSearches" }

    /// Returns the recent searches.
    public func loadRecentSearches() throws(OfflineError) -> RecentSearches {
        try loadValue(RecentSearches.self, forKey: Self.searchesKey) ?? RecentSearches()
    }

    /// Changes the recent searches.
    public func changeRecentSearches(
        _ change: @Sendable (inout RecentSearches) -> Void
    ) throws(OfflineError) {
        try changeValue(RecentSearches.self, forKey: Self.searchesKey) { value in
            var searches = value ?? RecentSearches()
            change(&searches)
            value = searches
        }
    }

    /// Returns the recent searches, and then again after each change.
    public nonisolated func recentSearches() -> StoreUpdates<RecentSearches> {
        updates(of: .value(Self.searchesKey)) { (store) throws(OfflineError) in
            try await store.loadRecentSearches()
        }
    }
}
