public import ArticleAPI
public import ArticleServiceCore
public import ArticleStore
package import BroadsheetHTTP
package import BroadsheetHTTPServer
public import BroadsheetPlatform

/// The valid keys in memory: authenticates requests without a store access.
///
/// The ring is loaded once and notified of each change: by the services of this process, and by
/// ``AccessChangeFollower`` of those of others. There are at most 1,000 valid keys
/// (`ArticleStore.createKey`).
public final class KeyRing: Sendable {
    fileprivate struct State {
        var records: [String: KeyRecord] = [:]
        /// Verified credentials of readers by the number of the key's public id: at most one per
        /// key, removed when its record changes.
        var verified: [UInt64: VerifiedReader] = [:]
        /// The users that keys act for.
        var owners: [User.ID: UserRecord] = [:]
        /// The number of changes of keys and their owners so far.
        var changeCount = 0
        /// Called when credentials are no longer valid.
        var observer: (@Sendable (AccessRevocation) -> Void)?
    }

    private let operatorKey: OperatorKey?
    private let state: Lock<State>
    private let system: SystemEnvironment

    /// - Parameters:
    ///   - records: All keys.
    ///   - owners: The users that keys act for.
    ///   - operatorKey: An admin key in addition.
    ///   - system: Its wall clock decides what has expired.
    public init(
        _ records: [KeyRecord], owners: [UserRecord] = [], operatorKey: OperatorKey?,
        system: SystemEnvironment
    ) {
        self.operatorKey = operatorKey
        self.system = system
        var state = State()
        state.replace(records, owners: owners)
        self.state = Lock(state)
    }

    /// Accepts a key that was created or changed; the next request sees it.
    ///
    /// - Parameter owner: The user that it acts for.
    package func admit(_ record: KeyRecord, owner: UserRecord? = nil) {
        state.withLock { $0.admit(record, owner: owner) }?.report()
    }

    /// Accepts the state of a user, if keys act for this user; older states are ignored.
    package func admit(_ user: UserRecord) {
        let ended = state.withLock { state -> [RevokedKey] in
            guard let old = state.owners[user.id], old.revision < user.revision else { return [] }
            state.admit(user)
            let isSame = (old.role, old.isDisabled) == (user.role, user.isDisabled)
            return isSame ? [] : state.endKeys(of: user.id)
        }
        for key in ended { key.report() }
    }

    /// The keys that act for this user are no longer valid.
    package func remove(_ user: User.ID) {
        let ended = state.withLock { state in
            state.changeCount += 1
            state.owners[user] = nil
            return state.endKeys(of: user)
        }
        for key in ended { key.report() }
    }

    /// The number of changes of keys and their owners so far: `takeOver` rejects what was read
    /// before the last one.
    package var changeCount: Int { state.withLock { $0.changeCount } }

    /// Takes over keys from the store that other processes have changed.
    ///
    /// - Parameters:
    ///   - ids: the keys that were changed; `nil` if any key may have been.
    ///   - records: all keys.
    ///   - owners: the users that keys act for.
    ///   - count: the number of changes from before they were read.
    /// - Returns: false if this process has changed a key since. They have to be read again, since
    ///   they may lack the change.
    package func takeOver(
        _ ids: Set<String>?, of records: [KeyRecord], owners: [UserRecord], readAt count: Int
    ) -> Bool {
        let ended = state.withLock { state -> [RevokedKey]? in
            guard state.changeCount == count else { return nil }
            if let ids {
                return records.filter { ids.contains($0.id) }.compactMap { record in
                    state.admit(record, owner: owners.first { $0.id == record.owner })
                }
            }
            state.replace(records, owners: owners)
            return []
        }
        guard let ended else { return false }
        for key in ended { key.report() }
        if ids == nil { state.withLock { $0.observer }?(.all) }
        return true
    }

    /// Calls the observer whenever a key ceases to be valid, or its permissions change.
    func observe(_ observer: @escaping @Sendable (AccessRevocation) -> Void) {
        state.withLock { $0.observer = observer }
    }

    /// Returns true if the principal still has the rights with which it was authenticated.
    func isCurrent(_ principal: Principal) -> Bool {
        let (record, owner) = state.withLock { $0.record(of: principal.id) }
        guard let record, record.revokedAt == nil, record.expiresAt.map({ system.now < $0 }) ?? true
        else { return false }
        return Self.role(of: record, owner) == principal.role
    }

    /// The role of a key, which is at most that of its owner; `nil` if it is not valid.
    private static func role(of record: KeyRecord, _ owner: UserRecord?) -> Role? {
        guard let role = Role(rawValue: record.role) else { return nil }
        guard record.owner != nil else { return role }
        guard let owner, !owner.isDisabled, let ownRole = Role(rawValue: owner.role) else {
            return nil
        }
        return min(role, ownRole)
    }

    /// The sender of this key.
    package func principal(of key: String) throws(ServiceError) -> Principal {
        guard key.utf8.count <= 200 else { throw .unauthenticated(.unknown) }
        let digest = Digest.sha256(key.utf8)
        if let operatorKey, Digest.areEqual(digest, operatorKey.digest) {
            return .operatorKey
        }
        // The digest is also compared for an unknown id, so that timing discloses nothing.
        let (record, owner) =
            APIKey.publicID(of: key).map { id in state.withLock { $0.record(of: id) } }
            ?? (nil, nil)
        let kept = record?.digest ?? [UInt8](repeating: 0, count: 32)
        guard Digest.areEqual(digest, kept), let record else { throw .unauthenticated(.unknown) }
        let principal = try principal(of: record, owner)
        if !principal.seesHidden { cache(key, of: record, owner, principal.sender) }
        return principal
    }

    /// The sender of the key with this public id, who has proved to have it before.
    package func principal(ofVerified id: String) throws(ServiceError) -> Principal {
        let (record, owner) = state.withLock { $0.record(of: id) }
        guard let record else { throw .unauthenticated(.unknown) }
        return try principal(of: record, owner)
    }

    private func principal(
        of record: KeyRecord, _ owner: UserRecord?
    ) throws(ServiceError) -> Principal {
        guard record.revokedAt == nil, let role = Self.role(of: record, owner) else {
            throw .unauthenticated(.revoked)
        }
        if let expiresAt = record.expiresAt, expiresAt <= system.now {
            throw .unauthenticated(.expired)
        }
        return .key(id: record.id, user: record.owner, role: role, expiresAt: record.expiresAt)
    }

    /// The name of the key with this public id.
    package func name(of id: String) -> String? { state.withLock { $0.record(of: id).0?.name } }

    /// Remembers a verified key of a reader, unless it was revoked in the meantime.
    private func cache(
        _ key: String, of record: KeyRecord, _ owner: UserRecord?, _ sender: RequestSender?
    ) {
        guard let number = UInt64(record.id, radix: 16) else { return }
        let verified = VerifiedReader(
            key, account: record.id, sender: sender, expiresAt: record.expiresAt)
        state.withLock { state in
            guard state.record(of: record.id) == (record, owner) else { return }
            state.verified[number] = verified
        }
    }

    /// The reader with these credentials, if the key was verified before.
    ///
    /// - Parameter number: The key's public id.
    func reader(_ number: UInt64, _ authorization: borrowing Span<UInt8>) -> PublicReader? {
        state.withLock { $0.verified[number] }?.reader(sending: authorization, system: system)
    }
}

extension KeyRing.State {
    /// The key with this public id, and the user that it acts for.
    fileprivate func record(of id: String) -> (KeyRecord?, UserRecord?) {
        let record = records[id]
        return (record, record?.owner.flatMap { owners[$0] })
    }

    fileprivate mutating func replace(_ records: [KeyRecord], owners: [UserRecord]) {
        self.records = Dictionary(records.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        self.owners = Dictionary(owners.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
        verified = [:]
    }

    /// - Returns: the key if it is revoked.
    fileprivate mutating func admit(_ record: KeyRecord, owner: UserRecord?) -> RevokedKey? {
        changeCount += 1
        records[record.id] = record
        if let owner { admit(owner) }
        forget(record)
        return record.revokedAt == nil ? nil : RevokedKey(id: record.id, observer: observer)
    }

    fileprivate mutating func admit(_ user: UserRecord) {
        if let old = owners[user.id], old.revision > user.revision { return }
        changeCount += 1
        owners[user.id] = user
    }

    fileprivate mutating func forget(_ record: KeyRecord) {
        if let number = UInt64(record.id, radix: 16) { verified[number] = nil }
    }

    /// The keys that act for this user have to be verified again.
    fileprivate mutating func endKeys(of user: User.ID) -> [RevokedKey] {
        let ended = records.values.filter { $0.owner == user }
        for record in ended { forget(record) }
        return ended.map { RevokedKey(id: $0.id, observer: observer) }
    }
}

/// A key that no longer grants its former access, and the observer to notify outside of the lock.
private struct RevokedKey {
    let id: String
    let observer: (@Sendable (AccessRevocation) -> Void)?

    func report() { observer?(.key(id)) }
}

/// A reader whose key or token was verified before. Comparing it avoids computing a digest, which
/// would be most of the cost of a cached response.
struct VerifiedReader: Sendable {
    /// The credentials in `Authorization` after the scheme.
    private let credentials: [UInt8]
    private let reader: PublicReader
    private let expiresAt: Timestamp?

    /// - Parameters:
    ///   - credentials: The key or the access token.
    ///   - account: The account whose rate limit applies.
    ///   - sharesAddress: True if it shares the limit with the readers of its address.
    ///   - sender: Is logged.
    ///   - expiresAt: The time at which the credentials expire; `nil` if they do not.
    init(
        _ credentials: String, account: String, sharesAddress: Bool = false,
        sender: RequestSender?, expiresAt: Timestamp?
    ) {
        self.credentials = Array(credentials.utf8)
        reader = PublicReader(account: account, sharesAddress: sharesAddress, sender: sender)
        self.expiresAt = expiresAt
    }

    /// The reader, if the field ends with the credentials, and they have not expired.
    func reader(
        sending authorization: borrowing Span<UInt8>, system: borrowing SystemEnvironment
    ) -> PublicReader? {
        let start = authorization.count - credentials.count
        guard start >= 0, Digest.areEqual(authorization.extracting(start...), credentials),
            expiresAt.map({ system.now < $0 }) ?? true
        else { return nil }
        return reader
    }
}

/// A new API key: `bsk_<public id>_<secret>`, shown once and never stored.
public struct APIKey: Sendable {
    /// The complete key, as clients send it after `Bearer`.
    public let text: String
    /// The record that is stored.
    public let record: KeyRecord

    static let prefix = "bsk_"

    /// Creates a key with 256 random bits.
    ///
    /// - Parameters:
    ///   - name: 1 to 100 characters.
    ///   - role: The role that it grants.
    ///   - owner: The user that it acts for.
    ///   - time: The current time.
    ///   - expiresAt: The time at which it expires; `nil` if it does not.
    ///   - system: Its random numbers become the key.
    public init(
        name: String, role: Role, owner: User.ID? = nil, at time: Timestamp,
        expiresAt: Timestamp? = nil, system: SystemEnvironment
    ) {
        let id = ByteText.hexadecimal(system.randomBytes(8))
        text = Self.prefix + id + "_" + ByteText.base64URL(system.randomBytes(32))
        record = KeyRecord(
            id: id, digest: Digest.sha256(text.utf8), name: name, role: role.rawValue,
            createdAt: time, expiresAt: expiresAt, owner: owner)
    }

    /// The public id in a key's text; `nil` if the text is not such a key.
    package static func publicID(of text: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        let parts = text.dropFirst(prefix.count).split(
            separator: "_", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, parts[0].utf8.count == 16, parts[1].utf8.count == 43 else {
            return nil
        }
        return String(parts[0])
    }
}

extension RequestSender {
    /// The sender of a key that was rejected, for the log: nothing proves that it is the sender's.
    package static func unverified(in fields: HTTPFields) -> RequestSender? {
        let scheme = "bearer "
        guard let text = fields[.authorization], text.utf8.count <= 200,
            text.prefix(scheme.count).lowercased() == scheme,
            let id = APIKey.publicID(of: String(text.dropFirst(scheme.count))),
            UInt64(id, radix: 16) != nil
        else { return nil }
        return RequestSender(key: id)
    }
}

/// The admin key chosen by the operator: kept in memory as a digest, never stored in the file.
public struct OperatorKey: Sendable {
    package let digest: [UInt8]

    /// Accepts a `SharedSecret` (RFC 6750 §2.1 allows no other characters in a field).
    public init?(_ text: String) {
        guard let secret = SharedSecret(text) else { return nil }
        self.init(secret)
    }

    public init(_ secret: SharedSecret) { digest = Digest.sha256(secret.bytes) }
}
