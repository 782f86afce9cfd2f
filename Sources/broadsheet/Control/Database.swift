import ArticleClient
import ArticleDatabase
import ArticleServices
import ArticleStore
import BroadsheetCommandLine
import BroadsheetHTTPServer
import BroadsheetPlatform

/// A database as a command finds it: opened by the command itself, or served by another process.
enum Database: Sendable {
    case opened(any SQLStore)
    case served(ControlClient)

    /// Opens the database that `--database` names: a file, or a PostgreSQL database by its URL.
    static func store(
        _ name: String, _ mode: StoreMode, _ configuration: SQLiteConfiguration,
        serves: Bool = false, system: SystemEnvironment,
        _ migrating: @escaping @Sendable () -> Void = {}
    ) throws(StoreOpeningError) -> any SQLStore {
        guard PostgresAddress.isAddress(name) else {
            return try SQLiteStore.open(
                path: name, mode: mode, configuration: configuration, system: system,
                migrating: migrating)
        }
        var limits = PostgresConfiguration()
        let perCommit = limits.limits.writesPerCommit
        limits.limits = configuration.limits
        limits.mayLead = serves
        limits.limits.writesPerCommit = perCommit
        return try PostgresStore.open(
            PostgresAddress(name), path: path(of: name), mode: mode, configuration: limits,
            system: system)
    }

    /// The path next to which the files of a server are: that of the database file, or of a name in
    /// the working directory for a PostgreSQL database.
    static func path(of name: String) -> String {
        guard PostgresAddress.isAddress(name) else { return Files.place(name) }
        let database = (try? PostgresAddress(name))?.database ?? "postgres"
        return Files.place(database.replacing("/", with: "_") + ".postgresql")
    }

    /// Runs the work on the database, or through the process that serves it.
    static func with<Result>(
        _ name: String, mode: StoreMode, in system: SystemEnvironment,
        _ work: (Database) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        try MovedDatabaseNote.reject(name)
        let found = try await find(name, in: system) { () throws(StoreOpeningError) in
            try store(name, mode, SQLiteConfiguration(), system: system)
        }
        let opened: any SQLStore
        switch found {
        case .served(let owner): return try await work(.served(owner))
        case .opened(let store): opened = store
        }
        opened.notices.receive { Console.printError("\(name): \($0)") }
        do throws(CommandFailure) {
            let result = try await work(.opened(opened))
            await opened.close()
            return result
        } catch {
            await opened.close()
            throw error
        }
    }

    /// The maximum time for which a database may be in use by a process that does not respond: a
    /// server that is starting, stopping or handing over, or another command.
    static let patience = Duration.seconds(5)
    static let pause = Duration.milliseconds(50)

    /// A database that was opened, or the process that serves it.
    enum Found<Opened> {
        case opened(Opened)
        case served(ControlClient)
    }

    /// Opens a database, or finds the process that serves it. While neither works because another
    /// process has the database, tries again.
    ///
    /// - Parameter name: The value of `--database`.
    static func find<Opened>(
        _ name: String, in system: SystemEnvironment,
        opening open: () throws(StoreOpeningError) -> Opened
    ) async throws(CommandFailure) -> Found<Opened> {
        let end = system.uptime + patience
        while true {
            do throws(StoreOpeningError) { return .opened(try open()) } catch {
                guard case .owned = error else { throw CommandFailure(error) }
                if let owner = await ControlClient(ofDatabase: name) { return .served(owner) }
                guard system.uptime < end else { throw CommandFailure(error) }
            }
            // Cancelled: tries until the end.
            await system.sleep(pause)
        }
    }

    /// Rejects the database and its companion files as the destination of a write.
    static func protect(_ database: String, from path: String) throws(CommandFailure) {
        let (database, path) = (Files.place(database), Files.place(path))
        guard path != database else {
            throw CommandFailure(.usage, "\(path) is the database itself")
        }
        let endings = ["-wal", "-shm", "-journal", ".lock", ".control", ".admin-key", ".moved"]
        guard !endings.contains(where: { path == database + $0 }) else {
            throw CommandFailure(.usage, "\(path) belongs to the database")
        }
    }

    var importDestination: any ImportDestination {
        switch self {
        case .opened(let store): store
        case .served(let owner): owner
        }
    }

    /// The API with the rights of an admin, over the control socket or in this process.
    func backend(in system: SystemEnvironment) async throws(CommandFailure) -> BackendService {
        switch self {
        case .served(let owner): return owner.backend
        case .opened(let store):
            let router: HTTPRouter
            do {
                let backend = try await Backend(
                    store: store, file: store, version: Version.number, system: system,
                    log: { Console.printError($0) })
                router = try backend.controlRouter()
            } catch let error as StoreError {
                throw CommandFailure(error)
            } catch { throw CommandFailure(.software, "\(error)") }
            return BackendService(
                configuration: BackendConfiguration(baseURL: "http://localhost"),
                transport: InProcessTransport { request, _ in await router.respond(to: request) },
                cache: nil)
        }
    }

    var keys: any KeyStore {
        switch self {
        case .opened(let store): store
        case .served(let owner): owner
        }
    }
}

extension CommandFailure {
    init(_ error: StoreOpeningError) {
        let status: ExitStatus =
            switch error {
            case .owned, .unreachable: .unavailable
            case .forbidden: .noPermission
            case .unsuitable: .configuration
            case .newer, .older, .unsupported, .foreign, .unfinished, .damaged: .dataError
            case .missing: .noInput
            case .failed, .noRoom: .ioError
            }
        self.init(status, error.description)
    }

    /// - Parameter path: The database that is named if it is damaged.
    init(_ error: StoreError, at path: String = "the database") {
        self =
            switch error {
            case .notFound: CommandFailure(.dataError, "there is no entry with this id")
            case .full: CommandFailure(.ioError, "the disk is full")
            case .tooMany(let text), .conflict(let text): CommandFailure(.dataError, text)
            case .unavailable(let text): CommandFailure(.ioError, text)
            case .corrupt: CommandFailure(StoreOpeningError(error, at: path))
            case .rejected(let error as StoreOpeningError): CommandFailure(error)
            case .rejected(let error as CommandFailure): error
            case .rejected(let error): CommandFailure(.dataError, "\(error)")
            default: CommandFailure(.software, "\(error)")
            }
    }
}

extension CommandFailure {
    init(ofMigration error: any Error) {
        self =
            switch error {
            case let error as CommandFailure: error
            case let error as StoreOpeningError: CommandFailure(error)
            case let error as MigrationError: CommandFailure(error)
            case let error as StoreError: CommandFailure(error)
            default: CommandFailure(.software, "\(error)")
            }
    }

    init(_ error: MigrationError) {
        let status: ExitStatus =
            switch error {
            case .occupied: .cannotCreate
            case .differs: .dataError
            case .overtaken: .unavailable
            case .sameEngine: .usage
            }
        self.init(status, error.description)
    }
}
