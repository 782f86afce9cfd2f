import ArticleAPI
import BroadsheetFeeds

/// Typed access to the values of the front matter.
///
/// Names are those of `name(of:)`. A missing value, `null` and an empty string are equivalent.
struct FrontMatterFields {
    /// The values by name, with the keys as they were written; no list is empty.
    private let named: [String: FrontMatterNode.Entries]

    /// Mappings that have further keys: those of Hugo and Zola.
    static let sections: Set = ["params", "extra", "taxonomies"]

    init(_ entries: FrontMatterNode.Entries) {
        named = Dictionary(grouping: Self.all(entries)) { Self.name(of: $0.key) }
    }

    /// The entries, and then those of their sections.
    static func all(_ entries: FrontMatterNode.Entries) -> FrontMatterNode.Entries {
        var all = entries
        for (key, node) in entries where sections.contains(name(of: key)) {
            if case .mapping(let entries) = node.value { all += entries }
        }
        return all
    }

    /// A key in any case, with or without hyphens and underscores: `publishdate` of `PublishDate`
    /// and `publish_date`.
    static func name(of key: String) -> String {
        key.lowercased().filter { $0 != "-" && $0 != "_" }
    }

    /// The line of each name's value.
    var lines: [String: Int] { named.compactMapValues { $0.first?.node.line } }

    /// The key and the value of a name: the first, if the name is written in several ways.
    func entry(_ name: String) -> (key: String, node: FrontMatterNode)? {
        named[name]?.first
    }

    /// All keys and values of a name.
    func entries(_ name: String) -> FrontMatterNode.Entries { named[name] ?? [] }

    /// The text of the first of these names that has one, with line breaks replaced by spaces.
    func text(_ names: String...) throws(FrontMatterError) -> String? {
        for name in names {
            guard let (key, node) = entry(name) else { continue }
            if let text = try Self.text(of: node, key: key, expected: "a string") { return text }
        }
        return nil
    }

    /// The value of the first of these names that has one, as parsed by `make`.
    func value<Value>(
        _ names: String..., expected: String, make: (String) -> Value?
    ) throws(FrontMatterError) -> Value? {
        for name in names {
            guard let (key, node) = entry(name),
                let text = try Self.text(of: node, key: key, expected: expected)
            else { continue }
            guard let value = make(text) else {
                throw Self.invalid(key, expected: expected, node)
            }
            return value
        }
        return nil
    }

    /// One name or a list of names; a mapping contributes its `name`.
    package func names(_ name: String) throws(FrontMatterError) -> [String] {
        guard let (key, node) = entry(name) else { return [] }
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
    func words(_ name: String, splittingAtSpaces: Bool) throws(FrontMatterError) -> [String] {
        guard let (key, node) = entry(name) else { return [] }
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

    /// A string, and others that belong to it.
    struct Record {
        var key: String
        var main: String
        var others: [String: String] = [:]
        var line: Int
    }

    /// A string, or a mapping with a string under one of `mainKeys` and further strings; the first
    /// of several.
    package func record(_ name: String, mainKeys: [String]) throws(FrontMatterError) -> Record? {
        guard let (key, value) = entry(name) else { return nil }
        var node = value
        if case .list(let items) = value.value, let first = items.first { node = first }
        guard case .mapping(let entries) = node.value else {
            let text = try Self.text(of: node, key: key, expected: "a URL")
            return text.map { Record(key: key, main: $0, line: node.line) }
        }
        var texts: [String: String] = [:]
        for (part, node) in entries {
            guard case .scalar = node.value else { continue }
            texts[Self.name(of: part)] = try Self.text(of: node, key: key, expected: "a URL")
        }
        guard let main = mainKeys.lazy.compactMap({ texts[$0] }).first else { return nil }
        return Record(key: key, main: main, others: texts, line: node.line)
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
        guard let text = node.word else { throw invalid(key, expected: expected, node) }
        return text.isEmpty ? nil : text
    }

    private static func invalid(
        _ key: String, expected: String, _ node: FrontMatterNode
    ) -> FrontMatterError {
        FrontMatterError(line: node.line, reason: .invalidValue(key: key, expected: expected))
    }
}

extension StringProtocol {
    /// The text without leading and trailing whitespace.
    var trimmingSpaces: SubSequence {
        let start = firstIndex { !$0.isWhitespace } ?? endIndex
        let end = lastIndex { !$0.isWhitespace }.map(index(after:)) ?? start
        return self[start..<end]
    }
}

extension Timestamp {
    /// Parses the dates that are found in posts, as those of feeds: `2016-1-29`,
    /// `2016-02-01 9:00:00 +0900`, `Sep 3, 2020 5:17 PM`. Without an offset, they are in UTC.
    init?(frontMatter text: String) {
        guard let time = FeedDate.parse(text) else { return nil }
        self = time
    }
}
