import Sockets

/// Has the process that serves a database replaced by the program that lies on the disk now.
struct UpgradeCommand: Command {
    static let name = "upgrade"
    static let summary = "Has a server replaced by the program as it is on the disk now, unnoticed."
    static let usage = "[options]"
    static let example = "broadsheet upgrade --database broadsheet.db"
    static let options = [CommonOptions.database, CommonOptions.config]

    let path: String
    /// The old process may take as long as its `--grace` says.
    private static let patienceSeconds = 3_700

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.refuseOperands()
        path = settings.database
    }

    func run() async throws(CommandFailure) {
        let channel = try ControlChannel.open(
            ofDatabase: path, for: UpgradeMessage.protocolName,
            timeoutSeconds: Self.patienceSeconds)
        guard let channel else {
            throw CommandFailure(.unavailable, "\(path): no server answers for it")
        }
        let answer: UpgradeMessage?
        do throws(SystemError) {
            answer = try channel.receiveLine().flatMap { UpgradeMessage($0) }
        } catch { throw CommandFailure(.unavailable, "\(path): \(error)") }
        switch answer {
        case .serving(let process): try Console.print("process \(process) serves")
        case .failed(let why): throw CommandFailure(.unavailable, "\(path): \(why)")
        case nil: throw CommandFailure(.unavailable, "\(path): the server ended meanwhile")
        }
    }
}
