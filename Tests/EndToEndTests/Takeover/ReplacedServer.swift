import BroadsheetHTTP
import BroadsheetSockets
import BroadsheetTestSupport
import Glibc

/// A database whose server is replaced: the successors are killed together with the first one.
final class ReplacedServer {
    let served: RunningServer
    private let database: String
    private(set) var processID: Int32

    init(_ served: RunningServer, _ database: String) {
        self.served = served
        self.database = database
        processID = served.program.processID
    }

    deinit {
        if processID != served.program.processID { kill(processID, SIGKILL) }
    }

    /// Upgrades the server, and waits until the next one serves.
    func upgrade() throws { try wait(for: beginUpgrade()) }

    func beginUpgrade() throws -> RunningProgram {
        try Program.start(["upgrade", "--database", database])
    }

    func wait(for upgrade: RunningProgram) throws {
        let output = upgrade.output.next()
        let words = (output ?? "").split(separator: " ")
        guard upgrade.wait() == 0, words.count == 3, let process = Int32(words[1]) else {
            throw TestFailure("no successor: \(output ?? ""), \(upgrade.errors.rest())")
        }
        processID = process
    }

    /// Stops the last server, and waits until the database is free.
    func stop() async -> Bool {
        kill(processID, SIGTERM)
        return await eventually { kill(self.processID, 0) != 0 || isZombie }
    }

    /// True if it has exited: its parent is gone, so this process cannot wait for it.
    private var isZombie: Bool {
        guard let text = try? read("/proc/\(processID)/stat") else { return true }
        return text.contains(") Z ")
    }
}
