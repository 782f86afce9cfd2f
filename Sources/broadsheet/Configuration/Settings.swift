import ArticleAPI

/// The values of a command's options, each with where it came from: flags over environment over the
/// configuration file over defaults.
struct Settings: Sendable {
    /// A value and its origin, for messages.
    struct Value: Sendable {
        let text: String
        /// `--loops`, `BROADSHEET_LOOPS`, `loops in broadsheet.json`.
        let origin: String
    }

    private var values: [String: [Value]] = [:]
    /// What stood on the command line beside the options.
    let operands: [String]
    /// What is wrong with the configuration file, if that is examined; nothing of it counts then.
    private(set) var fileFailure: CommandFailure?

    /// - Parameters:
    ///   - options: of this command.
    ///   - strangers: keys of a configuration file that only other commands know.
    ///   - examinesFile: whether a wrong configuration file is told by `fileFailure`, not thrown.
    /// - Throws: `.usage` for a wrong flag, `.configuration` for a wrong file.
    init(
        options: [Option], strangers: Set<String> = [], examinesFile: Bool = false,
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
                readFile(path), path: path, options: options, strangers: strangers)
            values.merge(file.values) { standing, _ in standing }
        } catch {
            guard examinesFile else { throw error }
            fileFailure = error
        }
    }

    /// An environment variable of a repeatable option holds values between commas.
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
        _ name: String, in range: ClosedRange<Int>, default standard: Int
    ) throws(CommandFailure) -> Int {
        guard let value = values[name]?.last else { return standard }
        guard let number = Int(value.text), range.contains(number) else {
            throw wrong(
                value, "not a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }

    func choice<Choice: RawRepresentable & CaseIterable>(
        _ name: String, default standard: Choice
    ) throws(CommandFailure) -> Choice where Choice.RawValue == String {
        guard let value = values[name]?.last else { return standard }
        guard let choice = Choice(rawValue: value.text) else {
            let choices = Choice.allCases.map(\.rawValue).joined(separator: ", ")
            throw wrong(value, "not one of \(choices)")
        }
        return choice
    }

    /// A value made from the text, or the failure that says what was wrong and where it stood.
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
