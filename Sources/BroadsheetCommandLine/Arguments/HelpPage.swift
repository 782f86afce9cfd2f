/// The page that `--help` prints.
package enum HelpPage {
    /// - Parameters:
    ///   - summary: one line.
    ///   - usage: the command with its arguments: `broadsheet help [COMMAND | PAGE]`.
    ///   - example: a command line.
    ///   - options: listed with their defaults.
    package static func text(
        _ summary: String, usage: String, example: String, options: [Option]
    ) -> String {
        var text = "\(summary)\n\nUsage: \(usage)\n\nExample:\n  \(example)\n"
        guard !options.isEmpty else { return text }
        let file = options.contains { $0.name == "config" } ? " and in the --config file" : ""
        text += "\nOptions (also as BROADSHEET_… variables\(file)):\n"
        for option in options {
            let flag = "--\(option.name)" + (option.value.map { " " + $0 } ?? "")
            let padding = String(repeating: " ", count: max(1, 32 - flag.count))
            text += "  \(flag)\(padding)\(option.help)"
            if option.isRepeatable { text += " May be repeated." }
            if let value = option.defaultValue { text += " [default: \(value)]" }
            text += "\n"
        }
        return text
    }
}
