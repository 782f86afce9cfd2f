import Glibc
import HTTP
import Sockets
import TestSupport

/// A served database whose server changes: the processes that follow the first are ended with it.
final class Reign {
    let served: Served
    private let database: String
    private(set) var processID: Int32

    init(_ served: Served, _ database: String) {
        self.served = served
        self.database = database
        processID = served.program.processID
    }

    deinit {
        if processID != served.program.processID { kill(processID, SIGKILL) }
    }

    /// Has the server replaced, and waits until the next one serves.
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

    /// Asks the last server to end, and waits until its file is free.
    func stop() async -> Bool {
        kill(processID, SIGTERM)
        return await eventually { kill(self.processID, 0) != 0 || isZombie }
    }

    /// It was started by a process that has ended: nobody here waits for it.
    private var isZombie: Bool {
        guard let text = try? read("/proc/\(processID)/stat") else { return true }
        return text.contains(") Z ")
    }
}
