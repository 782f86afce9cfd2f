import ArticleAPI

/// The types whose stored requests an outbox can read: it decodes their responses.
struct RequestTypes: Sendable {
    private var types: [String: any RepeatableRequest.Type] = [:]

    /// - Parameter own: types of the app, besides those of the contract.
    init(_ own: [any RepeatableRequest.Type]) {
        let contract: [any RepeatableRequest.Type] = [
            CreateCommentRequest.self, PutBookmarkRequest.self, DeleteBookmarkRequest.self,
        ]
        for type in contract + own { types[type.storedName] = type }
    }

    /// The updates of a successful response; none if the store keeps nothing of it, or if its type
    /// is not known.
    func updates(
        of entry: OutboxEntry, responding bytes: [UInt8], seenAt time: Timestamp
    ) -> [ModelUpdate] {
        func decoded<Request: CacheableRequest>(_ request: Request) -> [ModelUpdate] {
            do throws(ResponseMapperError) {
                let item = try ResponseMapper<Request.Item>().map(bytes)
                return request.updates(in: item, seenAt: time)
            } catch { return [] }
        }
        guard let request = cacheable(entry) else { return [] }
        return decoded(request)
    }

    /// The updates if the backend did not find the subject of the request.
    func updatesForMissing(
        _ entry: OutboxEntry, in store: ModelStore, seenAt time: Timestamp
    ) async -> [ModelUpdate] {
        do throws(OfflineError) {
            return try await cacheable(entry)?.updatesForMissing(in: store, seenAt: time) ?? []
        } catch { return [] }
    }

    private func cacheable(_ entry: OutboxEntry) -> (any CacheableRequest)? {
        func read<Request: RepeatableRequest>(_ type: Request.Type) -> (any CacheableRequest)? {
            entry.request(as: type) as? any CacheableRequest
        }
        guard let type = entry.write.request.flatMap({ types[$0.name] }) else { return nil }
        return read(type)
    }
}
