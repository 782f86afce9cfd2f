import ArticleAPI
package import ArticleAdminAPI
package import ArticleServiceCore
package import ArticleStore
package import BroadsheetHTTP
package import BroadsheetHTTPServer
import BroadsheetPlatform
import Glibc

/// Gives users all that is kept about them, as one document.
///
/// The document is written to a file from one snapshot and sent from there, so that neither the
/// store nor memory waits for the client. There is one at a time for each user, as a client that
/// does not read keeps its file.
package struct AccountExports: Sendable {
    let store: any ArticleStore
    let spool: Spool
    private let users = Lock<Set<User.ID>>([])

    private static let fileName = "account.json"

    package init(store: any ArticleStore, spool: Spool) {
        self.store = store
        self.spool = spool
    }

    package func export(
        _ request: ExportAccountRequest, by caller: Principal, in context: RequestContext
    ) async throws(ServiceError) -> HTTPResponse {
        let user = try caller.requireUser()
        guard users.withLock({ $0.insert(user).inserted }) else { throw .exporting }
        let file: SpoolFile
        do {
            file = try spool.file(closed: { [users] in users.withLock { _ = $0.remove(user) } })
        } catch {
            users.withLock { _ = $0.remove(user) }
            throw ServiceError(error)
        }
        do throws(StoreError) {
            try await write(user, for: caller, to: file)
        } catch {
            // The account was deleted after the request was authenticated.
            if case .notFound = error { throw .unauthenticated(.unknown) }
            throw ServiceError(error)
        }
        do throws(SystemError) {
            return try file.response("application/json", savedAs: Self.fileName)
        } catch { throw ServiceError(error) }
    }

    private func write(
        _ user: User.ID, for caller: Principal, to file: SpoolFile
    ) async throws(StoreError) {
        let document = Lock(AccountDocument(for: caller))
        @Sendable func write(_ bytes: [UInt8]?) throws {
            guard let bytes else { return }
            guard spool.hasRoom(forBytes: bytes.count) else { throw ServiceError.full }
            do throws(SystemError) {
                try FileSystem.write(bytes, to: file.descriptor)
            } catch { throw error.code == ENOSPC ? ServiceError.full : ServiceError(error) }
        }
        try await store.exportAccount(user) { record in
            try write(document.withLock { $0.add(record) })
        }
        do { try write(document.withLock { $0.end() }) } catch { throw .rejected(error) }
    }
}

/// Writes an `AccountExport` as JSON from its records, which arrive in the order of its lists.
struct AccountDocument {
    /// The lists in the order of the attributes.
    private enum List: Int, CaseIterable {
        case identities, sessions, keys, articles, comments, bookmarks
    }

    private let caller: Principal
    /// Not yet returned.
    private var bytes: [UInt8] = [UInt8(ascii: "{")]
    /// The list that is open; `nil` before the first.
    private var list: List?
    private var isEmpty = true

    private static let chunkBytes = 64 << 10

    init(for caller: Principal) { self.caller = caller }

    /// Adds a record; returns the bytes to write once they are enough.
    mutating func add(_ record: AccountRecord) -> [UInt8]? {
        switch record {
        case .account(let user): member("account", User(user).json())
        case .invitation(let invitation):
            member("invitation", AccountExport.UsedInvitation(invitation).json())
        case .identity(let identity):
            element(
                AccountExport.Identity(issuer: identity.issuer, subject: identity.subject).json(),
                of: .identities)
        case .session(let session):
            element(DeviceSession(session, to: caller).json(), of: .sessions)
        case .key(let key): element(AccountExport.Key(key).json(), of: .keys)
        case .article(let article): element(article.json(), of: .articles)
        case .comment(let comment): element(comment.json(), of: .comments)
        case .bookmark(let bookmark): element(bookmark.json(), of: .bookmarks)
        }
        return bytes.count >= Self.chunkBytes ? take() : nil
    }

    /// Ends the document, and returns the rest of it.
    package mutating func end() -> [UInt8] {
        while list != List.allCases.last { openNext() }
        bytes += Array("]}".utf8)
        return take()
    }

    private mutating func member(_ name: String, _ json: [UInt8]) {
        if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
        bytes += Array("\"\(name)\":".utf8)
        bytes += json
    }

    private mutating func element(_ json: [UInt8], of list: List) {
        while self.list != list, self.list != List.allCases.last { openNext() }
        if !isEmpty { bytes.append(UInt8(ascii: ",")) }
        bytes += json
        isEmpty = false
    }

    /// Closes the open list, if there is one, and opens the one after it.
    private mutating func openNext() {
        if list != nil { bytes.append(UInt8(ascii: "]")) }
        let next = List(rawValue: (list?.rawValue ?? -1) + 1) ?? .bookmarks
        bytes += Array(",\"\(next)\":[".utf8)
        list = next
        isEmpty = true
    }

    private mutating func take() -> [UInt8] {
        defer { bytes = [] }
        return bytes
    }
}

extension AccountExport.UsedInvitation {
    /// Without the principal that created it, which is another one.
    fileprivate init(_ record: InvitationRecord) {
        self.init(
            id: record.id, role: User.Role(name: record.role), createdAt: record.createdAt,
            expiresAt: record.expiresAt, usedAt: record.usedAt)
    }
}

extension AccountExport.Key {
    fileprivate init(_ record: KeyRecord) {
        self.init(
            id: record.id, name: record.name, role: User.Role(name: record.role),
            createdAt: record.createdAt, expiresAt: record.expiresAt,
            revokedAt: record.revokedAt)
    }
}
