import ArticleAPI

/// The values of a command's options, each with its origin. Flags override the environment, which
/// overrides the configuration file, which overrides defaults.
struct Settings: Sendable {
    /// A value and its origin, which error messages name.
    struct Value: Sendable {
        let text: String
        /// `--loops`, `BROADSHEET_LOOPS`, `loops in broadsheet.json`.
        let origin: String
    }

    private var values: [String: [Value]] = [:]
    /// The arguments that are not options.
    let operands: [String]
    /// Why the configuration file is invalid, if that is tolerated; the file is then ignored.
    private(set) var fileFailure: CommandFailure?

    /// - Parameters:
    ///   - options: the options of this command.
    ///   - ignoredKeys: keys of a configuration file that belong to other commands.
    ///   - toleratesInvalidFile: whether an invalid configuration file sets `fileFailure` rather
    ///     than throwing.
    /// - Throws: `.usage` for an invalid flag, `.configuration` for an invalid file.
    init(
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

    func all(_ name: String) -> [Value] { values[name] ?? [] }

    func text(_ name: String) -> String? { values[name]?.last?.text }

    /// Whether a switch is on: given as a flag, or `true` elsewhere.
    func isOn(_ name: String) throws(CommandFailure) -> Bool {
        guard let value = values[name]?.last else { return false }
        switch value.text.lowercased() {
        case "true", "1", "yes", "on": return true
        case "false", "0", "no", "off": return false
        default: throw wrong(value, "neither true nor false")
        }
    }

    func integer(
        _ name: String, in range: ClosedRange<Int>, default defaultValue: Int
    ) throws(CommandFailure) -> Int {
        guard let value = values[name]?.last else { return defaultValue }
        guard let number = Int(value.text), range.contains(number) else {
            throw wrong(
                value, "not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
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
    func parsed<Result>(
        _ name: String, expecting what: String, _ parse: (String) -> Result?
    ) throws(CommandFailure) -> Result? {
        guard let value = values[name]?.last else { return nil }
        guard let result = parse(value.text) else { throw wrong(value, "not \(what)") }
        return result
    }

    func wrong(_ value: Value, _ what: String) -> CommandFailure {
        CommandFailure(
            value.origin.hasPrefix("--") ? .usage : .configuration,
            "\(value.origin): \"\(value.text)\" is \(what)")
    }
}
