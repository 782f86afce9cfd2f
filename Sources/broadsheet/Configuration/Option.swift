/// One setting of a command: a flag, an environment variable and a key of the configuration file.
struct Option: Sendable {
    /// The flag without its dashes: `max-connections`.
    let name: String
    /// The placeholder after the flag in `--help`; `nil` for a switch.
    let value: String?
    /// One sentence, with the unit of the value.
    let help: String
    /// The default as `--help` shows it; `nil` if there is none.
    let defaultValue: String?
    /// Whether the option may be given more than once.
    let isRepeatable: Bool

    init(
        _ name: String, _ value: String?, _ help: String, default defaultValue: String? = nil,
        repeatable isRepeatable: Bool = false
    ) {
        self.name = name
        self.value = value
        self.help = help
        self.defaultValue = defaultValue
        self.isRepeatable = isRepeatable
    }

    var isSwitch: Bool { value == nil }

    /// `BROADSHEET_MAX_CONNECTIONS`.
    var variable: String {
        "BROADSHEET_" + name.uppercased().replacing("-", with: "_")
    }

    /// `maxConnections`, in the configuration file.
    var key: String {
        let words = name.split(separator: "-")
        return words.dropFirst().reduce(String(words[0])) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }
}
