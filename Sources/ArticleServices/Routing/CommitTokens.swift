import ArticleAPI
import ArticleServiceCore
import ArticleStore
import BroadsheetHTTP
import BroadsheetHTTPServer
import BroadsheetPlatform

/// Lets clients read their own writes on any node: the response to a write has the position of its
/// node (`Broadsheet-Sequence`), and a read with this value (`Broadsheet-After`) waits until its
/// node has reached it.
///
/// The number of a commit that the database has lost is not waited for.
///
/// Without the field, a node serves data that is a second old at most, or nothing. This is a class,
/// so that the frames of requests have one reference to it.
final class CommitTokens: Sendable {
    private let node: any StoreNode
    private let seal: CursorSealer
    /// The last token that was given. The writes of a commit have the same, and so have all writes
    /// of a database that only one process can serve, whose commits have no numbers.
    private let last = Lock<(commit: Int64, token: String)?>(nil)

    private static let list = "commits"
    private static let length = 256

    init(_ store: any ArticleStore, _ seal: CursorSealer) {
        node = store.node
        self.seal = seal
    }

    /// The gate of the cache, if other processes can change cached data.
    var gate: (any CacheGate)? { node.isAlone ? nil : self }

    /// Waits until the node is recent enough for a request with these fields.
    ///
    /// This is not inlined, so that a connection's task keeps no memory for its frame.
    @inline(never)
    func wait(for fields: HTTPFields) async throws(ServiceError) {
        let commit = try fields[.broadsheetAfter].map(commit) ?? 0
        guard await node.waitUntilCurrent(with: commit) else { throw .outdated(node) }
    }

    /// The number of the commit in a token; 0 if it is from another database.
    private func commit(_ token: String) throws(ServiceError) -> Int64 {
        guard token.utf8.count <= Self.length, ByteText.bytes(base64URL: token) != nil else {
            throw .rejected(
                RequestValidationError(
                    .malformed,
                    details: [
                        Problem.Detail(
                            "must be the value of a Broadsheet-Sequence",
                            at: .header(HTTPFieldName.broadsheetAfter.rawValue))
                    ]))
        }
        let number: Int? = try? seal.open(token, in: Self.list)
        return number.map(Int64.init) ?? 0
    }

    /// Returns the handler of a write, with the field by which its sender can read its own write.
    func marking(_ handler: @escaping HTTPHandler) -> HTTPHandler {
        { [self] message, context in
            var response = await handler(message, context)
            if response.status.code < 400 {
                response.fields.append(.broadsheetSequence, token(of: node.lastCommit))
            }
            return response
        }
    }

    private func token(of commit: Int64) -> String {
        if let last = last.withLock({ $0 }), last.commit == commit { return last.token }
        let token = seal.seal(Int(commit), in: Self.list)
        last.withLock { $0 = (commit, token) }
        return token
    }
}

extension CommitTokens: CacheGate {
    /// Returns true if a request with these fields does not have to wait.
    func isOpen(to fields: borrowing HTTPFields) -> Bool {
        node.isCurrent && !fields.contains(.broadsheetAfter)
    }
}
