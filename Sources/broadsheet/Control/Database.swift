import ArticleClient
import ArticleServices
import ArticleStore
import HTTPServer
import SQLiteStore

/// A database as a command finds it: opened by the command itself, or served by another process.
enum Database: Sendable {
    case opened(SQLiteStore)
    case served(ControlClient)

    static func open(
        _ path: String, mode: SQLiteStore.Mode,
        configuration: SQLiteConfiguration = SQLiteConfiguration(),
        migrating: @escaping @Sendable () -> Void = {}
    ) throws(CommandFailure) -> SQLiteStore {
        do {
            return try SQLiteStore.open(
                path: path, mode: mode, configuration: configuration, migrating: migrating)
        } catch { throw CommandFailure(error) }
    }

    /// Runs the work on the file, or through the process that serves it.
    static func with<Result>(
        _ path: String, mode: SQLiteStore.Mode,
        _ work: (Database) async throws(CommandFailure) -> Result
    ) async throws(CommandFailure) -> Result {
        let store: SQLiteStore
        do {
            store = try SQLiteStore.open(path: path, mode: mode)
        } catch {
            guard case .owned = error, let owner = await ControlClient(ofDatabase: path) else {
                throw CommandFailure(error)
            }
            return try await work(.served(owner))
        }
        do throws(CommandFailure) {
            let result = try await work(.opened(store))
            await store.close()
            return result
        } catch {
            await store.close()
            throw error
        }
    }

    /// Rejects the database and its companion files as the destination of a write.
    static func protect(_ database: String, from path: String) throws(CommandFailure) {
        let (database, path) = (Files.place(database), Files.place(path))
        guard path != database else {
            throw CommandFailure(.usage, "\(path) is the database itself")
        }
        let endings = ["-wal", "-shm", "-journal", ".lock", ".control", ".admin-key"]
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
