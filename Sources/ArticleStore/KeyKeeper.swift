public import ArticleAPI

/// Stores the records of API keys.
public protocol KeyKeeper: Sendable {
    /// All keys including revoked ones, oldest first.
    func keys() async throws(StoreError) -> [KeyRecord]
    /// Adds a key. Throws `.tooMany` if there are 1,000 valid keys, `.idTaken` if the public id is
    /// in use.
    func createKey(_ key: KeyRecord) async throws(StoreError)
    /// Revokes a key. Throws `.notFound` if it does not exist; revoking it twice keeps the first
    /// time.
    func revokeKey(_ id: String, at time: Timestamp) async throws(StoreError) -> KeyRecord
}
