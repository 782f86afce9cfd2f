import ArticleDatabase
import ArticleStore
import BroadsheetHTTPServer
import BroadsheetPlatform
import BroadsheetSockets

/// Waits for the external requirements of a start: the server of a database, and an address of this
/// machine. A running server also survives their absence.
///
/// It waits without limit for conditions that end by themselves, and not at all for mistakes.
struct StartupRetry: Sendable {
    private let requests: OperatorRequests
    private let supervisor: Supervisor
    private let log: ServerLog
    private let system: SystemEnvironment

    private static let pause = Duration.seconds(1)
    private static let interval = Duration.seconds(60)

    init(
        _ requests: OperatorRequests, _ supervisor: Supervisor, _ log: ServerLog,
        _ system: SystemEnvironment
    ) {
        self.requests = requests
        self.supervisor = supervisor
        self.log = log
        self.system = system
    }

    /// Opens the database of a server.
    ///
    /// - Parameters:
    ///   - mayWait: True to wait for a server of the database: otherwise another process does.
    ///   - isServed: Returns true if another process serves the file.
    func open(
        mayWait: Bool, isServed: () -> Bool, _ open: () throws(StoreOpeningError) -> any SQLStore
    ) async throws(StoreOpeningError) -> any SQLStore {
        let end = system.uptime + Database.patience
        return try await repeated(open) { error in
            switch error {
            case .unreachable where mayWait: .untilMended
            // A command may be using the file, or another server about to close it.
            case .owned where system.uptime < end && !isServed(): .briefly
            default: nil
            }
        }
    }

    /// Opens the sockets of a server.
    ///
    /// - Parameter abandon: Closes those that were opened by an attempt.
    func listen(
        abandon: () -> Void, _ start: () throws(HTTPServerError) -> [SocketAddress]
    ) async throws(HTTPServerError) -> [SocketAddress] {
        try await repeated(start) { error in
            guard error.isAddressMissing else { return nil }
            abandon()
            return .untilMended
        }
    }

    private enum Wait { case briefly, untilMended }

    private func repeated<Value, Failure>(
        _ attempt: () throws(Failure) -> Value, unless wait: (Failure) -> Wait?
    ) async throws(Failure) -> Value {
        var noticed: Duration?
        defer { requests.endsWithoutDelay(false) }
        while true {
            let failure: Failure
            do throws(Failure) {
                let value = try attempt()
                if noticed != nil { log.info("it is available now: starting") }
                return value
            } catch { failure = error }
            guard let wait = wait(failure) else { throw failure }
            // Nothing is in progress that a signal would have to wait for.
            requests.endsWithoutDelay(true)
            if case .untilMended = wait {
                if noticed.map({ system.uptime - $0 > Self.interval }) ?? true {
                    log.warning("\(failure); waiting for it")
                    noticed = system.uptime
                }
                supervisor.waiting("\(failure)")
            }
            // Cancelled: the attempts go on.
            await system.sleep(wait == .briefly ? Database.pause : Self.pause)
        }
    }
}

extension HTTPServerError {
    /// True if the machine does not have the address, perhaps not yet.
    fileprivate var isAddressMissing: Bool {
        if case .cannotListen(_, let error) = self { error.isAddressMissing } else { false }
    }
}
