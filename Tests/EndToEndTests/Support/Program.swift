import BroadsheetTestSupport
import Glibc

/// The binary under test: `BROADSHEET_BINARY`, or the one that was built with the tests.
enum Program {
    static func path() throws -> String {
        if let path = getenv("BROADSHEET_BINARY") { return String(cString: path) }
        return try builtProgram("broadsheet")
    }

    static func start(_ arguments: [String], environment: [String: String] = [:]) throws
        -> RunningProgram
    {
        try RunningProgram(path(), arguments, environment: environment)
    }

    /// Runs the binary until it exits.
    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Ended {
        let program = try start(arguments, environment: environment)
        let output = program.output.rest()
        let errors = program.errors.rest()
        return Ended(status: program.wait(), output: output, errors: errors)
    }

    /// The result of a run.
    struct Ended: Sendable {
        let status: Int32
        let output: [String]
        let errors: [String]
    }
}
