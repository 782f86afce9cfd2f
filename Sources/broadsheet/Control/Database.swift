import ArticleClient
import ArticleDatabase
import ArticleServices
import ArticleStore
import HTTPServer

/// A database as a command finds it: opened by the command itself, or served by another process.
enum Database: Sendable {
    case opened(any SQLStore)
    case served(ControlClient)

    /// Opens what `--database` names: a file, or a PostgreSQL database by its URL.
    static func open(
        _ name: String, mode: StoreMode,
        configuration: SQLiteConfiguration = SQLiteConfiguration(), serves: Bool = false,
        migrating: @escaping @Sendable () -> Void = {}
    ) throws(CommandFailure) -> any SQLStore {
        try MovedDatabase.reject(name)
        do { return try store(name, mode, configuration, serves: serves, migrating) } catch {
            throw CommandFailure(error)
        }
    }

    private static func store(
        _ name: String, _ mode: StoreMode, _ configuration: SQLiteConfiguration,
        serves: Bool = false, _ migrating: @escaping @Sendable () -> Void
    ) throws(StoreOpeningError) -> any SQLStore {
        guard PostgresAddress.isAddress(name) else {
            return try SQLiteStore.open(
                path: name, mode: mode, configuration: configuration, migrating: migrating)
        }
        var limits = PostgresConfiguration()
        let perCommit = limits.limits.writesPerCommit
        limits.limits = configuration.limits
        limits.mayLead = serves
        limits.limits.writesPerCommit = perCommit
        return try PostgresStore.open(
            PostgresAddress(name), path: path(of: name), mode: mode, configuration: limits)
    }

    /// The path next to which the files of a server are: that of the database file, or of a name in
    /// the working directory for a PostgreSQL database.
    static func path(of name: String) -> String {
        guard PostgresAddress.isAddress(name) else { return Files.resolved(name) }
        let database = (try? PostgresAddress(name))?.database ?? "postgres"
        return Files.place(database.replacing("/", with: "_") + ".postgresql")
    }

    /// Runs the work on the database, or through the process that serves it.
    static func with<Result>(
        _ name: String, mode: StoreMode,
        _ work: (Database) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        try MovedDatabase.reject(name)
        let opened: any SQLStore
        do {
            opened = try store(name, mode, SQLiteConfiguration(), {})
        } catch {
            guard case .owned = error, let owner = await ControlClient(ofDatabase: name) else {
                throw CommandFailure(error)
            }
            return try await work(.served(owner))
        }
        do throws(CommandFailure) {
            let result = try await work(.opened(opened))
            await opened.close()
            return result
        } catch {
            await opened.close()
            throw error
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
    func backend() async throws(CommandFailure) -> BackendService {
        switch self {
        case .served(let owner): return owner.backend
        case .opened(let store):
            let router: HTTPRouter
            do {
                let backend = try await Backend(
                    store: store, file: store, version: Version.number, now: { .now },
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

    var keys: any KeyKeeper {
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
            case .owned: .unavailable
            case .newer, .older, .foreign, .unfinished, .damaged: .dataError
            case .missing: .noInput
            case .failed, .noRoom: .ioError
            }
        self.init(status, error.description)
    }

    init(_ error: StoreError) {
        self =
            switch error {
            case .notFound: CommandFailure(.dataError, "there is no entry with this id")
            case .full: CommandFailure(.ioError, "the disk is full")
            case .tooMany(let text), .conflict(let text): CommandFailure(.dataError, text)
            case .unavailable(let text), .corrupt(let text): CommandFailure(.ioError, text)
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
