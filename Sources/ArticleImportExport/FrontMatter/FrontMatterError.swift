import ArticleServiceCore

/// The reason why a Markdown file could not be parsed, and the line.
///
/// The description does not contain the line, so that it can be shown as `path:line: description`.
package struct FrontMatterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line in the file, from 1.
    package let line: Int
    package let reason: Reason

    package enum Reason: Sendable, Hashable {
        case invalidUTF8
        case controlCharacter(UInt8)
        /// The file is a document of another kind, such as HTML.
        case otherDocument(String)
        /// There is front matter in a form that is not known, such as without delimiters.
        case unknownForm
        /// There is no closing `---`, `+++` or `}`.
        case unclosed(String)
        /// There are more than `FrontMatter.limitBytes` before the closing line.
        case tooLarge
        /// libyaml's error message.
        case malformed(String)
        case invalidTOML(String)
        case invalidJSON(String)
        /// The front matter is a list or a scalar, not a mapping.
        case notMapping
        /// Deeper than `FrontMatter.limitDepth`.
        case tooDeep
        /// An anchor or an alias. None is followed, as a few of them could expand to gigabytes.
        case reference
        /// A key that is not a scalar.
        case badKey
        /// A key with two different values.
        case duplicateKey(String)
        /// A known key with an invalid value.
        case invalidValue(key: String, expected: String)
    }

    package var description: String { description(of: "the front matter") }

    /// - Parameter yaml: the part at fault, with its article.
    package func description(of yaml: String) -> String {
        switch reason {
        case .invalidUTF8: "not valid UTF-8"
        case .controlCharacter(let byte):
            "is not a text: it contains the control character U+\(ByteText.hexadecimal([0, byte]))"
        case .otherDocument(let kind): "is \(kind), not Markdown"
        case .unknownForm:
            "\(yaml) is neither YAML between --- nor TOML between +++ nor a JSON object"
        case .unclosed(let closing): "\(yaml) has no closing \(closing)"
        case .tooLarge: "\(yaml) is larger than \(FrontMatter.limitBytes / 1024) KiB"
        case .malformed(let message): "\(yaml) is not valid YAML: \(message)"
        case .invalidTOML(let message): "\(yaml) is not TOML that can be read: \(message)"
        case .invalidJSON(let message): "\(yaml) is not valid JSON: \(message)"
        case .notMapping: "\(yaml) is not a mapping of keys to values"
        case .tooDeep: "\(yaml) is nested deeper than \(FrontMatter.limitDepth) levels"
        case .reference: "anchors and aliases are not supported in \(yaml)"
        case .badKey: "a key in \(yaml) is not plain text"
        case .duplicateKey(let key):
            "\(key) appears twice in \(yaml) with different values"
        case .invalidValue(let key, let expected): "\(key) is not \(expected)"
        }
    }
}
