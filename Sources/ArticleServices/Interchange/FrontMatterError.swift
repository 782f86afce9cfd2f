/// Why and where a Markdown file could not be parsed.
///
/// The description does not contain the line, so that it can be shown as `path:line: description`.
package struct FrontMatterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line in the file, from 1.
    package let line: Int
    package let reason: Reason

    package enum Reason: Sendable, Hashable {
        case invalidUTF8
        /// There is no closing `---`.
        case unclosed
        /// There are more than `FrontMatter.limitBytes` before the closing line.
        case tooLarge
        /// libyaml's error message.
        case malformed(String)
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

    package var description: String {
        switch reason {
        case .invalidUTF8: "not valid UTF-8"
        case .unclosed: "the front matter has no closing ---"
        case .tooLarge: "the front matter is larger than \(FrontMatter.limitBytes / 1024) KiB"
        case .malformed(let message): "the front matter is not valid YAML: \(message)"
        case .notMapping: "the front matter is not a mapping of keys to values"
        case .tooDeep: "the front matter is nested deeper than \(FrontMatter.limitDepth) levels"
        case .reference: "anchors and aliases are not supported in front matter"
        case .badKey: "a key in the front matter is not plain text"
        case .duplicateKey(let key):
            "\(key) appears twice in the front matter with different values"
        case .invalidValue(let key, let expected): "\(key) is not \(expected)"
        }
    }
}
