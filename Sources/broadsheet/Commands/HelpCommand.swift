/// Explains the commands.
struct HelpCommand: Command {
    static let name = "help"
    static let summary = "Explains the commands."
    static let usage = "[COMMAND]"
    static let example = "broadsheet help serve"
    static let options: [Option] = []

    let topic: String?

    init(_ settings: Settings) throws(CommandFailure) {
        guard settings.operands.count <= 1 else {
            throw CommandFailure(.usage, "help explains one command at a time")
        }
        topic = settings.operands.first
    }

    func run() async throws(CommandFailure) {
        guard let topic else { return try Console.print(Self.overview) }
        guard let command = Broadsheet.commands.first(where: { $0.name == topic }) else {
            throw CommandFailure(.usage, "\"\(topic)\" is no command; see broadsheet help")
        }
        try Console.print(command.help)
    }

    static var overview: String {
        var text =
            "Broadsheet: an article backend for mobile apps.\n\nUsage: broadsheet COMMAND …\n\n"
        for command in Broadsheet.commands {
            let padding = String(repeating: " ", count: max(1, 13 - command.name.count))
            text += "  \(command.name)\(padding)\(command.summary)\n"
        }
        text += "\nbroadsheet help COMMAND, or broadsheet COMMAND --help, tells the rest."
        return text
    }
}
