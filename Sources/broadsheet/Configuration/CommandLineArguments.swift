/// A parsed command line: options by name, and operands.
struct CommandLineArguments {
    private(set) var values: [String: [Settings.Value]] = [:]
    private(set) var operands: [String] = []

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
