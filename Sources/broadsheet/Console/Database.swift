import ArticleStore

/// Opening the database for a command.
enum Database {
    static func open(
        _ path: String, mode: SQLiteStore.Mode,
        configuration: SQLiteConfiguration = SQLiteConfiguration()
    ) throws(CommandFailure) -> SQLiteStore {
        do {
            return try SQLiteStore.open(path: path, mode: mode, configuration: configuration)
        } catch { throw CommandFailure(error) }
    }
}

extension CommandFailure {
    init(_ error: StoreOpeningError) {
        let status: ExitStatus =
            switch error {
            case .owned: .unavailable
            case .newer, .foreign: .dataError
            case .missing: .noInput
            case .failed: .ioError
            }
        self.init(status, error.description)
    }

    init(_ error: StoreError) {
        self =
            switch error {
            case .notFound: CommandFailure(.dataError, "there is none of this id")
            case .full: CommandFailure(.ioError, "no room on the disk")
            case .tooMany(let text), .conflict(let text): CommandFailure(.dataError, text)
            case .unavailable(let text), .corrupt(let text): CommandFailure(.ioError, text)
            case .rejected(let error as CommandFailure): error
            default: CommandFailure(.software, "\(error)")
            }
    }
}
