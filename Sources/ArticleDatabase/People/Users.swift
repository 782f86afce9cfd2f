public import ArticleAPI
public import ArticleStore

/// Users, which are written without a change.
extension SQLStore {
    public func createUser(
        _ user: UserRecord, using invitation: String?, at time: Timestamp
    ) async throws(StoreError) {
        try await submit { (step) throws(StoreError) in
            _ = try step.createUser(user, using: invitation, at: time)
        }
    }

    public func user(_ id: UserRecord.ID) async throws(StoreError) -> UserRecord {
        try await read { (state) throws(StoreError) in try state.user(id).record }
    }

    public func user(named nameKey: String) async throws(StoreError) -> UserRecord {
        try await read { (state) throws(StoreError) in
            guard let user = try state.user(named: nameKey) else { throw .notFound }
            return user
        }
    }

    public func users(
        after id: UserRecord.ID?, limit: Int
    ) async throws(StoreError) -> Slice<UserRecord, UserRecord.ID> {
        try await read { (state) throws(StoreError) in
            try state.users(after: id, limit: limit)
        }
    }

    public func userCount() async throws(StoreError) -> Int {
        try await read { (state) throws(StoreError) in try state.userCount() }
    }

    public func updateUser(
        _ id: UserRecord.ID, expecting revision: Int?, _ change: UserChange, at time: Timestamp
    ) async throws(StoreError) -> UserRecord {
        try await submit { (step) throws(StoreError) in
            try step.updateUser(id, expecting: revision, change, at: time)
        }
    }

    public func rehash(
        _ id: UserRecord.ID, from old: String, to new: String
    ) async throws(StoreError) -> Bool {
        try await submit { (step) throws(StoreError) in
            try step.rehash(id, from: old, to: new)
        }
    }

}

extension SQL {
    static let user: StaticString = """
        SELECT number, id, name, name_key, display_name, role, password_hash, is_disabled,
            created_at, updated_at, revision, access_epoch
        FROM users WHERE id = ?1
        """
    static let userByName: StaticString = """
        SELECT number, id, name, name_key, display_name, role, password_hash, is_disabled,
            created_at, updated_at, revision, access_epoch
        FROM users WHERE name_key = ?1
        """
    static let usersAfter: StaticString = """
        SELECT number, id, name, name_key, display_name, role, password_hash, is_disabled,
            created_at, updated_at, revision, access_epoch
        FROM users WHERE id > ?1 ORDER BY id LIMIT ?2
        """
    static let userCount: StaticString = "SELECT value FROM user_count WHERE number = 1"
    fileprivate static let insertUser: StaticString = """
        INSERT INTO users (id, name, name_key, display_name, role, password_hash, is_disabled,
            created_at, updated_at, revision, access_epoch)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)
        """
    static let updateUser: StaticString = """
        UPDATE users SET display_name = ?2, role = ?3, password_hash = ?4, is_disabled = ?5,
            updated_at = ?6, revision = ?7, access_epoch = ?8
        WHERE number = ?1
        """
    static let rehash: StaticString =
        "UPDATE users SET password_hash = ?3 WHERE id = ?1 AND password_hash = ?2"
}

/// A user with the number of its row, to which others refer.
struct StoredUser {
    let number: Int64
    var record: UserRecord

    /// Reads the columns of `SQL.user`.
    init(_ row: borrowing Statement) throws(StoreError) {
        number = row.integer(0)
        record = UserRecord(
            id: try row.identifier(1), name: row.text(2), nameKey: row.text(3),
            displayName: row.text(4), role: row.text(5), passwordHash: row.optionalText(6),
            createdAt: row.time(8))
        record.isDisabled = row.integer(7) != 0
        record.updatedAt = row.time(9)
        record.revision = Int(row.integer(10))
        record.accessEpoch = Int(row.integer(11))
    }
}

extension Snapshot {
    func user(_ id: UserRecord.ID) throws(StoreError) -> StoredUser {
        let row = try connection.statement(SQL.user)
        try row.bind(1, id)
        guard try row.step() else { throw .notFound }
        return try StoredUser(row)
    }

    func user(named nameKey: String) throws(StoreError) -> UserRecord? {
        let row = try connection.statement(SQL.userByName)
        try row.bind(1, nameKey)
        return try row.step() ? StoredUser(row).record : nil
    }

    fileprivate func users(
        after id: UserRecord.ID?, limit: Int
    ) throws(StoreError) -> Slice<UserRecord, UserRecord.ID> {
        let limit = min(max(limit, 1), 100)
        let row = try connection.statement(SQL.usersAfter)
        if let id { try row.bind(1, id) } else { try row.bind(1, [UInt8]()) }
        try row.bind(2, limit + 1)
        var page = Slice<UserRecord, UserRecord.ID>(items: [], next: nil)
        while try row.step() {
            guard page.items.count < limit else {
                page.next = page.items.last?.id
                break
            }
            page.items.append(try StoredUser(row).record)
        }
        return page
    }

    fileprivate func userCount() throws(StoreError) -> Int {
        let row = try connection.statement(SQL.userCount)
        guard try row.step() else { throw .corrupt("the number of users is missing") }
        return Int(row.integer(0))
    }
}

extension WriteStep {
    /// Returns the number of the user's row.
    func createUser(
        _ user: UserRecord, using invitation: String?, at time: Timestamp
    ) throws(StoreError) -> Int64 {
        guard try state.userNumber(user.id) == nil else { throw .idTaken }
        guard try state.user(named: user.nameKey) == nil else { throw .nameTaken }
        if let invitation { try checkInvitation(invitation, at: time) }
        guard try state.userCount() < state.limits.users else { throw .tooMany("users") }
        let number = try insert(user)
        if let invitation { try useInvitation(invitation, for: number, at: time) }
        return number
    }

    private func insert(_ user: UserRecord) throws(StoreError) -> Int64 {
        let row = try connection.statement(SQL.insertUser)
        try row.bind(1, user.id)
        try row.bind(2, user.name)
        try row.bind(3, user.nameKey)
        try row.bind(4, user.displayName)
        try row.bind(5, user.role)
        try row.bind(6, user.passwordHash)
        try row.bind(7, user.isDisabled ? 1 : 0)
        try row.bind(8, user.createdAt)
        try row.bind(9, user.updatedAt)
        try row.bind(10, user.revision)
        try row.bind(11, user.accessEpoch)
        return try row.insert()
    }

    fileprivate func updateUser(
        _ id: UserRecord.ID, expecting revision: Int?, _ change: UserChange, at time: Timestamp
    ) throws(StoreError) -> UserRecord {
        let old = try user(id, expecting: revision)
        var new = old.record
        new.displayName = change.displayName ?? new.displayName
        new.role = change.role ?? new.role
        new.isDisabled = change.isDisabled ?? new.isDisabled
        new.passwordHash = change.passwordHash ?? new.passwordHash
        guard new != old.record else { return new }
        let isOtherAccess = (new.role, new.isDisabled) != (old.record.role, old.record.isDisabled)
        if isOtherAccess || new.passwordHash != old.record.passwordHash {
            new.accessEpoch += 1
            try endSessions(of: old.number, id, except: isOtherAccess ? nil : change.keptSession)
        }
        new.updatedAt = time
        new.revision += 1
        try update(old.number, to: new)
        if new.displayName != old.record.displayName {
            connection.names.forgetActors()
            try recordRename(ofUser: old.number, id)
        }
        return new
    }

    func update(_ number: Int64, to user: UserRecord) throws(StoreError) {
        let row = try connection.statement(SQL.updateUser)
        try row.bind(1, number)
        try row.bind(2, user.displayName)
        try row.bind(3, user.role)
        try row.bind(4, user.passwordHash)
        try row.bind(5, user.isDisabled ? 1 : 0)
        try row.bind(6, user.updatedAt)
        try row.bind(7, user.revision)
        try row.bind(8, user.accessEpoch)
        try row.run()
    }

    fileprivate func rehash(
        _ id: UserRecord.ID, from old: String, to new: String
    ) throws(StoreError) -> Bool {
        let row = try connection.statement(SQL.rehash)
        try row.bind(1, id)
        try row.bind(2, old)
        try row.bind(3, new)
        try row.run()
        return connection.changedRows > 0
    }

    func user(
        _ id: UserRecord.ID, expecting revision: Int?
    ) throws(StoreError) -> StoredUser {
        let user = try state.user(id)
        guard revision == nil || revision == user.record.revision else {
            throw .preconditionFailed(current: user.record.revision)
        }
        return user
    }
}
