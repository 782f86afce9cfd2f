import BroadsheetCommandLine
import BroadsheetPlatform
import BroadsheetResources

/// Explains the commands, and prints the pages of the manual.
struct HelpCommand: Command {
    static let name = "help"
    static let summary = "Explains a command, or prints a page of the manual."
    static let usage = "[COMMAND | PAGE]"
    static let example = "broadsheet help api"
    static let options: [Option] = []

    let topic: String?

    init(_ settings: Settings) throws(CommandFailure) {
        guard settings.operands.count <= 1 else {
            throw CommandFailure(.usage, "help accepts one command or page")
        }
        topic = settings.operands.first
    }

    func run(in system: SystemEnvironment) async throws(CommandFailure) {
        guard let topic else { return try Console.print(Self.overview) }
        guard let text = Self.text(topic) else {
            throw CommandFailure(
                .usage, "unknown command or page \"\(topic)\"; see broadsheet help")
        }
        try Console.print(text)
    }

    /// The help of a command, or the page; both if a page is about the command.
    static func text(_ topic: String) -> String? {
        let command = Broadsheet.commands.first { $0.name == topic }?.help
        let page = ManualPage.all.first { $0.name == topic }?.text
        let texts = [command, page].compactMap(\.self)
        return texts.isEmpty ? nil : texts.joined(separator: "\n")
    }

    static var overview: String {
        var text =
            "Broadsheet: an article backend for mobile apps.\n\nUsage: broadsheet COMMAND …\n\n"
        for command in Broadsheet.commands {
            let padding = String(repeating: " ", count: max(1, 13 - command.name.count))
            text += "  \(command.name)\(padding)\(command.summary)\n"
        }
        text += "\nManual pages: \(ManualPage.all.map(\.name).joined(separator: ", ")).\n"
        text += "\nFor more, run broadsheet help COMMAND, broadsheet COMMAND --help, "
        text += "or broadsheet help PAGE."
        return text
    }
}

/// A page of the manual, from `Resources/manual`.
struct ManualPage {
    /// The file's name without its extension.
    let name: String
    /// Markdown.
    let text: String

    /// All pages, sorted by name.
    static var all: [ManualPage] {
        let table = broadsheet_manual()
        return UnsafeBufferPointer(start: table.first, count: table.count).map { page in
            let bytes = UnsafeBufferPointer(start: page.bytes, count: page.size)
            return ManualPage(
                name: String(String(cString: page.name).dropLast(".md".count)),
                text: String(decoding: bytes, as: UTF8.self))
        }
    }
}
