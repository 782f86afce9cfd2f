/// Says which version this is.
struct VersionCommand: Command {
    static let name = "version"
    static let summary = "Says which version this is."
    static let usage = ""
    static let example = "broadsheet version"
    static let options: [Option] = []

    /// CHANGELOG.md says what is in it.
    static let number = "0.1.0"
    static let text = "broadsheet \(number)"

    init(_ settings: Settings) throws(CommandFailure) {
        try settings.refuseOperands()
    }

    func run() async throws(CommandFailure) {
        try Console.print(Self.text)
    }
}
