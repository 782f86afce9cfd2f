import BroadsheetTestSupport
import Glibc

/// A process that takes over from a server, and then fails (`Tests/Tools/fake_successor.py`).
struct FakeSuccessor {
    let program: RunningProgram

    /// - Parameter step: what it does, as defined in the script.
    init(_ database: String, _ step: String) throws {
        program = try Shell.startTool("fake_successor.py", ["\(database).control", step])
    }

    /// Waits until it reports the step.
    func wait(for place: String) throws {
        while let line = program.output.next() {
            if line == place { return }
        }
        throw TestFailure("it did not reach \(place): \(program.errors.rest())")
    }

    /// Waits until it has been killed.
    func wasKilled() -> Bool { program.wait() == 128 + SIGKILL }
}
