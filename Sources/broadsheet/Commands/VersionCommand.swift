import BroadsheetCommandLine
import BroadsheetPlatform

/// Prints the version.
struct VersionCommand: Command {
    static let name = "version"
    static let summary = "Prints the version."
    static let usage = ""
    static let example = "broadsheet version"
    static let options: [Option] = []

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.rejectOperands()
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        try Console.print(Version.text)
    }
}
