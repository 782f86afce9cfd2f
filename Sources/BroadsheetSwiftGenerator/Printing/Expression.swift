/// An expression, which is laid out as `swift format` does: on one line if it fits, otherwise with
/// the arguments of a call on lines of their own.
indirect enum Expression: Sendable {
    case text(String)
    /// `head(argument, argument)`
    case call(String, [Argument], Layout = .filled)
    /// `value ?? default`
    case coalescing(String, String)

    struct Argument: Sendable {
        let label: String
        let value: Expression

        init(_ label: String = "", _ value: Expression) {
            self.label = label
            self.value = value
        }

        var prefix: String { label.isEmpty ? "" : "\(label): " }
        var flat: String { prefix + value.flat }
    }

    /// The distribution of arguments among lines.
    enum Layout: Sendable {
        /// As many as fit on each line.
        case filled
        /// One on each line, except where all fit on one.
        case rows
    }

    static let limitColumns = 100

    /// The expression on one line.
    var flat: String {
        switch self {
        case .text(let text): text
        case .coalescing(let value, let defaultValue): "\(value) ?? \(defaultValue)"
        case .call(let head, let arguments, _):
            head + "(" + arguments.map(\.flat).joined(separator: ", ") + ")"
        }
    }

    /// Returns the lines of the expression, without indentation for the first one.
    ///
    /// - Parameters:
    ///   - prefix: the text before it on the first line.
    ///   - suffix: the text after it on the last line.
    ///   - indentation: the columns before the first line.
    func lines(_ prefix: String, _ suffix: String, at indentation: Int) -> [String] {
        let flat = prefix + flat + suffix
        let isTooLong = indentation + Self.width(flat) > Self.limitColumns
        if isTooLong, case .coalescing(let value, let defaultValue) = self {
            return [
                Self.margin(indentation) + prefix + value,
                Self.margin(indentation + 4) + "?? \(defaultValue)\(suffix)",
            ]
        }
        guard isTooLong, case .call(let head, let arguments, let layout) = self, !arguments.isEmpty
        else { return [Self.margin(indentation) + flat] }
        return [Self.margin(indentation) + prefix + head + "("]
            + Self.lines(arguments, layout, ending: ")" + suffix, at: indentation + 4)
    }

    /// The lines of arguments, the last of which is followed by `ending`.
    static func lines(
        _ arguments: [Argument], _ layout: Layout, ending: String, at indentation: Int
    ) -> [String] {
        var lines: [String] = []
        var line = ""
        for (index, argument) in arguments.enumerated() {
            let end = index == arguments.count - 1 ? ending : ","
            let flat = argument.flat + end
            let fits = indentation + width(line) + 1 + width(flat) <= limitColumns
            if !line.isEmpty, fits, layout == .filled {
                line += " " + flat
                continue
            }
            if !line.isEmpty { lines.append(margin(indentation) + line) }
            line = ""
            if indentation + width(flat) <= limitColumns {
                line = flat
            } else {
                lines += argument.value.lines(argument.prefix, end, at: indentation)
            }
        }
        if !line.isEmpty { lines.append(margin(indentation) + line) }
        return lines
    }

    static func margin(_ columns: Int) -> String { String(repeating: " ", count: columns) }

    /// At least the number of columns.
    static func width(_ text: String) -> Int { text.unicodeScalars.count }
}
