public import ArticleAPI

/// Keeps API keys, as records of them.
public protocol KeyKeeper: Sendable {
    /// All keys, revoked ones too, oldest first.
    func keys() async throws(StoreError) -> [KeyRecord]
    /// At most 1,000 live keys: `.tooMany`. `.idTaken` for a public id in use.
    func createKey(_ key: KeyRecord) async throws(StoreError)
    /// `.notFound` if there is none; revoking twice keeps the first time.
    func revokeKey(_ id: String, at time: Timestamp) async throws(StoreError) -> KeyRecord
}
