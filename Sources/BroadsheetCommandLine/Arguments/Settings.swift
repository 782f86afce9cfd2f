import ArticleAPI

/// The values of a command's options, each with its origin. Flags override the environment, which
/// overrides the configuration file, which overrides defaults.
package struct Settings: Sendable {
    /// A value and its origin, which error messages name.
    package struct Value: Sendable {
        package let text: String
        /// `--loops`, `BROADSHEET_LOOPS`, `loops in broadsheet.json`.
        package let origin: String

        package init(text: String, origin: String) {
            self.text = text
            self.origin = origin
        }
    }

    private var values: [String: [Value]] = [:]
    /// The arguments that are not options.
    package let operands: [String]
    /// The fault of the configuration file, if an invalid one is tolerated; the file is then
    /// ignored.
    package private(set) var fileFailure: CommandFailure?

    /// - Parameters:
    ///   - options: the options of this command.
    ///   - ignoredKeys: keys of a configuration file that belong to other commands.
    ///   - toleratesInvalidFile: true if an invalid configuration file sets `fileFailure` rather
    ///     than throwing.
    /// - Throws: `.usage` for an invalid flag, `.configuration` for an invalid file.
    package init(
        options: [Option], ignoredKeys: Set<String> = [], toleratesInvalidFile: Bool = false,
        arguments: [String], environment: [String: String],
        readFile: (String) throws(CommandFailure) -> [UInt8]
    ) throws(CommandFailure) {
        let line = try CommandLineArguments(arguments, options: options)
        operands = line.operands
        values = line.values
        for option in options where values[option.name] == nil {
            guard let text = environment[option.variable] else { continue }
            values[option.name] = Self.split(text, option).map {
                Value(text: $0, origin: option.variable)
            }
        }
        guard let path = values["config"]?.last?.text else { return }
        do throws(CommandFailure) {
            let file = try ConfigurationFile(
                readFile(path), path: path, options: options, ignoredKeys: ignoredKeys)
            values.merge(file.values) { existing, _ in existing }
        } catch {
            guard toleratesInvalidFile else { throw error }
            fileFailure = error
        }
    }

    /// The environment variable of a repeatable option holds values separated by commas.
    private static func split(_ text: String, _ option: Option) -> [String] {
        option.isRepeatable ? text.split(separator: ",").map(String.init) : [text]
    }

    // MARK: Typed values

    package func all(_ name: String) -> [Value] { values[name] ?? [] }

    package func text(_ name: String) -> String? { values[name]?.last?.text }

    /// Returns true if a switch is on: given as a flag, or `true` elsewhere.
    package func isOn(_ name: String) throws(CommandFailure) -> Bool {
        guard let value = values[name]?.last else { return false }
        switch value.text.lowercased() {
        case "true", "1", "yes", "on": return true
        case "false", "0", "no", "off": return false
        default: throw wrong(value, "neither true nor false")
        }
    }

    package func integer(
        _ name: String, in range: ClosedRange<Int>, default defaultValue: Int
    ) throws(CommandFailure) -> Int {
        guard let value = values[name]?.last else { return defaultValue }
        guard let number = Int(value.text), range.contains(number) else {
            throw wrong(
                value, "not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    package func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, default defaultValue: Choice
    ) throws(CommandFailure) -> Choice where Choice.RawValue == String {
        guard let value = values[name]?.last else { return defaultValue }
        guard let choice = Choice(rawValue: value.text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw wrong(value, "not one of \(choices)")
        }
        return choice
    }

    /// The parsed value.
    /// - Throws: a failure that names the value and its origin.
    package func parsed<Result>(
        _ name: String, expecting what: String, _ parse: (String) -> Result?
    ) throws(CommandFailure) -> Result? {
        guard let value = values[name]?.last else { return nil }
        guard let result = parse(value.text) else { throw wrong(value, "not \(what)") }
        return result
    }

    package func wrong(_ value: Value, _ what: String) -> CommandFailure {
        CommandFailure(
            value.origin.hasPrefix("--") ? .usage : .configuration,
            "\(value.origin): \"\(value.text)\" is \(what)")
    }
}

/// One setting of a command: a flag, an environment variable and a key of the configuration file.
package struct Option: Sendable {
    /// The flag without its dashes: `max-connections`.
    package let name: String
    /// The placeholder after the flag in `--help`; `nil` for a switch.
    package let value: String?
    /// One sentence, with the unit of the value.
    package let help: String
    /// The default as `--help` shows it; `nil` if there is none.
    package let defaultValue: String?
    /// True if the option may be given more than once.
    package let isRepeatable: Bool

    package init(
        _ name: String, _ value: String?, _ help: String, default defaultValue: String? = nil,
        repeatable isRepeatable: Bool = false
    ) {
        self.name = name
        self.value = value
        self.help = help
        self.defaultValue = defaultValue
        self.isRepeatable = isRepeatable
    }

    package var isSwitch: Bool { value == nil }

    /// `BROADSHEET_MAX_CONNECTIONS`.
    package var variable: String {
        "BROADSHEET_" + name.uppercased().replacing("-", with: "_")
    }

    /// `maxConnections`, in the configuration file.
    package var key: String {
        let words = name.split(separator: "-")
        return words.dropFirst().reduce(String(words[0])) {
            $0 + $1.prefix(1).uppercased() + $1.dropFirst()
        }
    }
}

/// A parsed command line: options by name, and operands.
package struct CommandLineArguments {
    private(set) var values: [String: [Settings.Value]] = [:]
    private(set) var operands: [String] = []

    /// Returns true if the arguments ask for help instead of the command.
    package static func askForHelp(_ arguments: [String]) -> Bool {
        arguments.prefix { $0 != "--" }.contains { $0 == "--help" || $0 == "-h" }
    }

    /// Parses `--name value`, `--name=value`, `--switch`, and `--` before operands that begin with
    /// a dash.
    init(_ arguments: [String], options: [Option]) throws(CommandFailure) {
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            if argument == "--" {
                operands += rest
                return
            }
            guard argument.hasPrefix("-"), argument != "-" else {
                operands.append(argument)
                continue
            }
            try take(argument, &rest, options)
        }
    }

    private mutating func take(
        _ argument: String, _ rest: inout ArraySlice<String>, _ options: [Option]
    ) throws(CommandFailure) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let flag = String(parts[0])
        guard let option = options.first(where: { "--" + $0.name == flag }) else {
            throw CommandFailure(.usage, "unknown option \(flag); see --help")
        }
        guard values[option.name] == nil || option.isRepeatable else {
            throw CommandFailure(.usage, "\(flag) is given more than once")
        }
        let text: String
        switch (option.isSwitch, parts.count == 2) {
        case (true, true): text = String(parts[1])
        case (true, false): text = "true"
        case (false, true): text = String(parts[1])
        case (false, false):
            guard let next = rest.popFirst() else {
                throw CommandFailure(.usage, "\(flag) needs \(option.value ?? "a value")")
            }
            text = next
        }
        values[option.name, default: []].append(Settings.Value(text: text, origin: flag))
    }
}

/// A configuration file: one JSON object whose keys are option names in camelCase.
struct ConfigurationFile {
    private(set) var values: [String: [Settings.Value]] = [:]

    /// - Parameter ignoredKeys: keys of other commands' options, which are skipped: all commands
    ///   can share one file.
    init(
        _ bytes: [UInt8], path: String, options: [Option], ignoredKeys: Set<String>
    ) throws(CommandFailure) {
        let json: JSONValue
        do throws(JSONSyntaxError) {
            json = try JSONParser.parse(bytes)
        } catch { throw CommandFailure(.configuration, "\(path):\(error.line): \(error.message)") }
        guard case .object(let members) = json else {
            throw CommandFailure(.configuration, "\(path): not a JSON object")
        }
        for member in members {
            guard
                let option = options.first(where: { $0.key == member.name && $0.name != "config" })
            else {
                if ignoredKeys.contains(member.name) { continue }
                throw CommandFailure(.configuration, "\(path): unknown option \"\(member.name)\"")
            }
            let origin = "\(option.key) in \(path)"
            values[option.name] = try Self.texts(member.value, option, origin).map {
                Settings.Value(text: $0, origin: origin)
            }
        }
    }

    private static func texts(
        _ value: JSONValue, _ option: Option, _ origin: String
    ) throws(CommandFailure) -> [String] {
        switch value {
        case .string(let text): return [text]
        case .number(let number): return [number.text]
        case .boolean(let isOn): return [isOn ? "true" : "false"]
        case .array(let values) where option.isRepeatable:
            var texts: [String] = []
            for value in values { texts += try Self.texts(value, option, origin) }
            return texts
        default:
            throw CommandFailure(
                .configuration, "\(origin): not a string, a number, true or false")
        }
    }
}
