/// Typed access to the values of the front matter.
///
/// A missing value, `null` and an empty string are equivalent.
struct FrontMatterFields {
    private let nodes: [String: FrontMatterNode]

    init(_ entries: [(key: String, node: FrontMatterNode)]) {
        nodes = Dictionary(entries.map { ($0.key, $0.node) }) { first, _ in first }
    }

    /// The text of the first of these keys that has one, with line breaks replaced by spaces.
    func text(_ keys: String...) throws(FrontMatterError) -> String? {
        for key in keys {
            guard let node = nodes[key] else { continue }
            if let text = try Self.text(of: node, key: key, expected: "a string") { return text }
        }
        return nil
    }

    /// The value of the first of these keys that has one, as parsed by `make`.
    func value<Value>(
        _ keys: String..., expected: String, make: (String) -> Value?
    ) throws(FrontMatterError) -> Value? {
        for key in keys {
            guard let node = nodes[key],
                let text = try Self.text(of: node, key: key, expected: expected)
            else { continue }
            guard let value = make(text) else {
                throw Self.invalid(key, expected: expected, node)
            }
            return value
        }
        return nil
    }

    /// A Boolean in any of YAML's spellings.
    func flag(_ key: String) throws(FrontMatterError) -> Bool? {
        try value(key, expected: "true or false") { text in
            switch text.lowercased() {
            case "true", "yes", "on", "y": true
            case "false", "no", "off", "n": false
            default: nil
            }
        }
    }

    /// One name or a list of names; a mapping contributes its `name`.
    func names(_ key: String) throws(FrontMatterError) -> [String] {
        guard let node = nodes[key] else { return [] }
        let expected = "a name or a list of names"
        switch node.value {
        case .list(let items):
            var names: [String] = []
            for item in items {
                guard let name = try Self.name(of: item, key: key, expected: expected),
                    !names.contains(name)
                else { continue }
                names.append(name)
            }
            return names
        case .scalar, .mapping:
            return try Self.name(of: node, key: key, expected: expected).map { [$0] } ?? []
        }
    }

    /// A list of strings, or one string that is split at commas, or else optionally at spaces.
    func words(_ key: String, splittingAtSpaces: Bool) throws(FrontMatterError) -> [String] {
        guard let node = nodes[key] else { return [] }
        let expected = "a string or a list of strings"
        if case .list(let items) = node.value {
            var words: [String] = []
            for item in items {
                guard let word = try Self.text(of: item, key: key, expected: expected)
                else { continue }
                words.append(word)
            }
            return words
        }
        guard let text = try Self.text(of: node, key: key, expected: expected) else { return [] }
        let parts =
            if text.contains(",") {
                text.split(separator: ",").map(\.trimmingSpaces)
            } else if splittingAtSpaces {
                text.split(whereSeparator: \.isWhitespace)
            } else {
                [text[...]]
            }
        return parts.filter { !$0.isEmpty }.map(String.init)
    }

    /// A string, or a mapping with a string under one of `mainKeys` and further strings.
    func record(
        _ key: String, mainKeys: [String]
    ) throws(FrontMatterError) -> (main: String, others: [String: String], line: Int)? {
        guard let node = nodes[key] else { return nil }
        guard case .mapping(let entries) = node.value else {
            let text = try Self.text(of: node, key: key, expected: "a URL")
            return text.map { ($0, [:], node.line) }
        }
        var texts: [String: String] = [:]
        for entry in entries {
            guard case .scalar = entry.node.value else { continue }
            texts[entry.key] = try Self.text(of: entry.node, key: key, expected: "a URL")
        }
        guard let main = mainKeys.lazy.compactMap({ texts[$0] }).first else { return nil }
        return (main, texts, node.line)
    }

    private static func name(
        of node: FrontMatterNode, key: String, expected: String
    ) throws(FrontMatterError) -> String? {
        guard case .mapping(let entries) = node.value else {
            return try text(of: node, key: key, expected: expected)
        }
        guard let name = entries.first(where: { $0.key == "name" }) else {
            throw invalid(key, expected: expected, node)
        }
        return try text(of: name.node, key: key, expected: expected)
    }

    /// The text of a scalar; `nil` if it is empty or `null`.
    private static func text(
        of node: FrontMatterNode, key: String, expected: String
    ) throws(FrontMatterError) -> String? {
        guard case .scalar(let text, let isPlain) = node.value else {
            throw invalid(key, expected: expected, node)
        }
        if isPlain, ["null", "Null", "NULL", "~"].contains(text) { return nil }
        let line = text.trimmingSpaces.split(whereSeparator: \.isNewline).joined(separator: " ")
        return line.isEmpty ? nil : line
    }

    private static func invalid(
        _ key: String, expected: String, _ node: FrontMatterNode
    ) -> FrontMatterError {
        FrontMatterError(line: node.line, reason: .invalidValue(key: key, expected: expected))
    }
}
