import ArticleAPI
import BroadsheetHTTP
import BroadsheetSQLite

/// A response to a request, as it is kept: which models it consists of, and the rest of it.
struct StoredResponse: Sendable, Hashable {
    /// The identity of the request.
    let key: [UInt8]
    /// The name of the models' type; empty if the response is kept as a whole.
    let type: String
    /// The ids of the models, in their order.
    let ids: [[UInt8]]
    /// The response without the models.
    let rest: [UInt8]
    /// The time at which the request was sent.
    let seenAt: Timestamp

    init(key: [UInt8], type: String, ids: [[UInt8]], rest: [UInt8], seenAt: Timestamp) {
        self.key = key
        self.type = type
        self.ids = ids
        self.rest = rest
        self.seenAt = seenAt
    }

    /// The target and the header parameters of a request; `nil` if it does something else than to
    /// get what is no secret.
    static func key<Request: BackendAPIRequest>(of request: Request) -> [UInt8]? {
        guard Request.endpoint.method == .get, !Request.endpoint.carriesSecrets else { return nil }
        var fields = RequestPrinter.print(request).fields
        fields.remove(.accept)
        var key = Array(RequestPrinter.target(of: request).utf8)
        for field in fields.all { key += "\n\(field.name): \(field.value)".utf8 }
        return key
    }

    // MARK: Bytes

    /// All but key and time: each text with its length before it.
    fileprivate var content: [UInt8] {
        var bytes: [UInt8] = []
        bytes.appendNumber(UInt64(ids.count))
        for part in [Array(type.utf8)] + ids {
            bytes.appendNumber(UInt64(part.count))
            bytes += part
        }
        return bytes + rest
    }

    /// Reads the content; `nil` if it is damaged.
    fileprivate init?(key: [UInt8], content: [UInt8], seenAt: Timestamp) {
        var rest = content[...]
        guard let count = rest.takeNumber(), let type = Self.part(&rest) else { return nil }
        var ids: [[UInt8]] = []
        for _ in 0..<min(count, UInt64(content.count)) {
            guard let id = Self.part(&rest) else { return nil }
            ids.append(Array(id))
        }
        self.init(
            key: key, type: String(decoding: type, as: UTF8.self), ids: ids, rest: Array(rest),
            seenAt: seenAt)
    }

    private static func part(_ rest: inout ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
        guard let count = rest.takeNumber(), count <= UInt64(rest.count) else { return nil }
        defer { rest = rest.dropFirst(Int(count)) }
        return rest.prefix(Int(count))
    }
}

/// Responses, which are rows beside the models: together they have one limit, and those that were
/// not seen for the longest time are removed first.
extension StoreEngine {
    /// The last response to a request; `nil` if there is none.
    func response(_ key: [UInt8]) throws(OfflineError) -> StoredResponse? {
        let row = try connection.statement(
            "SELECT facts, seen FROM models WHERE kind = ?1 AND id = ?2")
        try row.bind(1, StoreSchema.responseKind)
        try row.bind(2, key)
        guard try row.step() else { return nil }
        let seenAt = Timestamp(milliseconds: row.integer(1))
        return StoredResponse(
            key: key, content: row.bytes(0), seenAt: max(seenAt, deferredResponses[key] ?? seenAt))
    }

    func isUpdate(_ response: StoredResponse) throws(OfflineError) -> Bool {
        guard let known = try self.response(response.key) else { return true }
        if known.content == response.content {
            if known.seenAt < response.seenAt { deferredResponses[response.key] = response.seenAt }
            return false
        }
        return Self.isNewer(response, than: known)
    }

    /// Of two responses of the same time, the same one remains, whichever is merged first.
    private static func isNewer(_ one: StoredResponse, than other: StoredResponse) -> Bool {
        one.seenAt == other.seenAt
            ? other.content.lexicographicallyPrecedes(one.content) : one.seenAt > other.seenAt
    }

    // MARK: In a transaction

    func merge(_ response: StoredResponse) throws(OfflineError) {
        let known = try self.response(response.key)
        if let known, !Self.isNewer(response, than: known) { return }
        let content = response.content
        let size = content.count + response.key.count + StoreSchema.rowBytes
        func store(_ sql: String) throws(OfflineError) -> Bool {
            let row = try connection.statement(sql)
            try row.bind(1, StoreSchema.responseKind)
            try row.bind(2, response.key)
            try row.bind(3, content)
            try row.bind(4, size)
            try row.bind(5, response.seenAt)
            try row.run()
            return connection.changedRows > 0
        }
        let isKnown = try store(
            "UPDATE models SET facts = ?3, bytes = ?4, seen = ?5 WHERE kind = ?1 AND id = ?2")
        if !isKnown {
            _ = try store(
                """
                INSERT INTO models (kind, id, shape, facts, bytes, seen, holds)
                VALUES (?1, ?2, 0, ?3, ?4, ?5, 0)
                """)
            addedResponseBytes += size
        }
        if known?.content != content { note(.models(response.type)) }
    }

    func writeDeferredResponses() throws(OfflineError) {
        for (key, time) in deferredResponses {
            let row = try connection.statement(
                "UPDATE models SET seen = max(seen, ?3) WHERE kind = ?1 AND id = ?2")
            try row.bind(1, StoreSchema.responseKind)
            try row.bind(2, key)
            try row.bind(3, time)
            try row.run()
        }
    }
}
