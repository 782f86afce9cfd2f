public import ArticleStore
public import BroadsheetPlatform

/// Stores articles in a PostgreSQL database, which any number of processes may serve.
///
/// Writes go through one queue and share commits; reads run concurrently on their own connections
/// and never wait for writes. Commits of other processes are announced like this one's.
public final class PostgresStore: Sendable {
    /// The address of the database.
    public let address: PostgresAddress
    /// The path next to which other files of this server can be created.
    public let path: String
    public let core: StoreCore
    public let notices = StoreNotices()
    private let process: PostgresNode
    private let follower: RemoteCommitListener

    /// The schema version that this program migrates databases to.
    public static var schemaVersion: Int { PostgresSchema.bundled.version }

    /// Connects to the database and migrates its schema.
    ///
    /// - Parameters:
    ///   - path: the path next to which other files can be created.
    ///   - mode: the treatment of a database without a schema.
    ///   - system: the clocks, the sleep and the random numbers of the store.
    public static func open(
        _ address: PostgresAddress, path: String, mode: StoreMode,
        configuration: PostgresConfiguration = PostgresConfiguration(), system: SystemEnvironment
    ) throws(StoreOpeningError) -> PostgresStore {
        try PostgresStore(
            address, path: path, mode: mode, schema: .bundled, configuration: configuration,
            system: system)
    }

    init(
        _ address: PostgresAddress, path: String, mode: StoreMode, schema: PostgresSchema,
        configuration: PostgresConfiguration, system: SystemEnvironment
    ) throws(StoreOpeningError) {
        self.address = address
        self.path = path
        let openWriter = { @Sendable () throws(StoreError) in
            try PostgresSession(address, settings: configuration.writerSettings)
        }
        let openReader = { @Sendable () throws(StoreError) in
            Connection(
                .postgres(try PostgresSession(address, settings: configuration.readerSettings)))
        }
        let writerProcess = Lock<Int32?>(nil)
        let openFollower = { @Sendable () throws(StoreError) in
            let session = try PostgresSession(address, settings: configuration.followerSettings)
            // Once, while the writer's session is known to be open.
            if let writer = writerProcess.withLock({ $0.take() }) {
                guard try session.serverProcess() != writer else { throw .sharedProcess }
            }
            guard try session.shareOwnership() else {
                throw .rejected(StoreOpeningError.owned(path: address.text))
            }
            if configuration.mayLead {
                _ = try session.run("SELECT pg_advisory_lock_shared(\(PostgresLock.service))")
            }
            try session.listen()
            return session
        }
        let openExport = { @Sendable () throws(StoreError) in
            Connection(
                .postgres(try PostgresSession(address, settings: configuration.exportSettings)))
        }
        do throws(StoreError) {
            let session = try PostgresSession(address, settings: configuration.writerSettings)
            let ownProcess = try session.serverProcess()
            writerProcess.withLock { $0 = ownProcess }
            try Self.prepare(session, schema, address, mode)
            try Connection(.postgres(session)).takeEpoch(system.newEpoch())
            let identity = PostgresIdentity(of: session)
            let isKnown = try configuration.mayLead ? identity?.isKnown(to: session) : nil
            let clock = CommitSequence()
            let announcer = ChangeAnnouncer(clock)
            let process = PostgresNode(announcer, system)
            self.process = process
            let readers = try ReaderPool(configuration.limits, clock, open: openReader)
            let writer = CommitQueue(
                PostgresCommits(session, clock, process, system, open: openWriter),
                configuration.limits, clock, announcer, system, delay: { process.commitDelay })
            core = StoreCore(
                readers: readers,
                exports: ExportReaders(configuration.limits, open: openExport),
                accountExports: ExportReaders(configuration.limits, open: openExport),
                writer: writer,
                joinedReads: BatchedReads(readers), leadership: process,
                system: system)
            follower = try RemoteCommitListener(
                announcer, process, clock, configuration.limits,
                mayLead: configuration.mayLead,
                isCommitSlow: { writer.commitDuration > .seconds(1) }, open: openFollower)
            announcer.whenCut { [weak self] epoch in
                UnstructuredTask.start { [weak self] in await self?.beginHistory(replacing: epoch) }
            }
            follower.whenReconnected { [weak self] in self?.compareServer($0, isContinued: true) }
            follower.start()
            if isKnown == false { compareServer(identity, isContinued: false) }
        } catch {
            throw StoreOpeningError(error, of: address)
        }
    }

    /// Checks the database, and migrates its schema.
    private static func prepare(
        _ session: PostgresSession, _ schema: PostgresSchema, _ address: PostgresAddress,
        _ mode: StoreMode
    ) throws(StoreError) {
        try session.check()
        let version = try PostgresSchema.version(of: session)
        let fault = StoreOpeningError(
            version: version, at: address.text, supported: schema.versions)
        if let fault { throw .rejected(fault) }
        guard version > 0 || mode == .create else {
            throw .rejected(StoreOpeningError.unfinished(path: address.text))
        }
        if version < schema.version {
            // Older programs may be serving it, which do not know the schema.
            guard try session.own() else {
                throw .rejected(StoreOpeningError.owned(path: address.text))
            }
            try schema.migrate(session)
            try session.disown()
        }
    }

    /// Begins another history if another server has the database than before, and no process knows
    /// that this one has all commits.
    ///
    /// - Parameters:
    ///   - identity: `nil` if it is not known.
    ///   - isContinued: true if this process knows.
    private func compareServer(_ identity: PostgresIdentity?, isContinued: Bool) {
        guard let identity else { return }
        UnstructuredTask.start { [weak self] in
            guard let self else { return }
            let epoch = core.system.newEpoch()
            let isSame = try? await submit { (step) throws(StoreError) in
                let isSame = try step.note(identity)
                if !isSame, !isContinued { try step.connection.renewEpoch(to: epoch) }
                return isSame
            }
            guard isSame == false, !isContinued else { return }
            notices.add(
                "the database is on another PostgreSQL server than before, or was recovered, and "
                    + "may have been rolled back; all clients are told to sync from scratch")
        }
    }

    /// Begins another history, as the database has lost commits of this one: clients may have read
    /// more from them than the changes after their tokens correct.
    private func beginHistory(replacing epoch: Epoch) async {
        let new = core.system.newEpoch()
        for _ in 0..<Self.attempts {
            do throws(StoreError) {
                try await submit { (step) throws(StoreError) in
                    try step.connection.renewEpoch(to: new, replacing: epoch)
                }
                return notices.add(
                    "the database has lost commits, as after a restore or the promotion of a "
                        + "standby; all clients are told to sync from scratch")
            } catch { await core.system.sleep(.seconds(1)) }
        }
    }

    private static let attempts = 600

    /// Finishes queued writes and closes all connections. Later calls throw `.unavailable`.
    public func close() async {
        await core.close()
        follower.close()
    }

    public func close(readSeconds: Double, writeSeconds: Double) async -> StoreClosing {
        let closing = await core.close(readSeconds: readSeconds, writeSeconds: writeSeconds)
        let follower = follower
        _ = await TimeLimit.finishes(withinSeconds: readSeconds) { follower.close() }
        // Other processes can use the database, whatever becomes of this one's write.
        if case .writeIsLeft = closing { return .readsAreLeft }
        return closing
    }
}

extension PostgresStore: SQLStore {
    public var statistics: StoreStatistics { core.statistics() }

    public var fileBytes: (database: Int, log: Int)? { nil }

    public var node: any StoreNode { process }
}
