import Glibc
import TestSupport

/// A process that takes over from a server, and fails on the way (`Tests/Tools/fake_successor.py`).
struct FakeSuccessor {
    let program: RunningProgram

    /// - Parameter step: what it does; see there.
    init(_ database: String, _ step: String, file: StaticString = #filePath) throws {
        let tests = "\(file)".split(separator: "/").dropLast(3).joined(separator: "/")
        program = try RunningProgram(
            "/usr/bin/env",
            ["python3", "-B", "/\(tests)/Tools/fake_successor.py", "\(database).control", step])
    }

    /// Waits until it says that it is there.
    func wait(for place: String) throws {
        while let line = program.output.next() {
            if line == place { return }
        }
        throw TestFailure("it did not come to \(place): \(program.errors.rest())")
    }

    /// Waits until somebody has killed it.
    func wasKilled() -> Bool { program.wait() == 128 + SIGKILL }
}
