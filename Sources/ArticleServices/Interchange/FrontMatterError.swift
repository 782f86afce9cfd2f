/// Why a Markdown file could not be read, and where.
///
/// The description does not repeat the line, so that `path:line: description` reads well.
package struct FrontMatterError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line in the file, from 1.
    package let line: Int
    package let reason: Reason

    package enum Reason: Sendable, Hashable {
        case invalidUTF8
        /// No line `---` ends what the first line began.
        case unclosed
        /// More than `FrontMatter.limitBytes` stand before the closing line.
        case tooLarge
        /// libyaml's words.
        case malformed(String)
        /// The front matter is a list or a text, not names with values.
        case notMapping
        /// Deeper than `FrontMatter.limitDepth`.
        case tooDeep
        /// An anchor or an alias: a few of them could unfold to gigabytes, so none is followed.
        case reference
        /// A key that is not plain text.
        case badKey
        /// A key with two different values.
        case duplicateKey(String)
        /// A known key with a value that cannot be its own.
        case invalidValue(key: String, expected: String)
    }

    package var description: String {
        switch reason {
        case .invalidUTF8: "not valid UTF-8"
        case .unclosed: "the front matter has no closing ---"
        case .tooLarge: "the front matter is larger than \(FrontMatter.limitBytes / 1024) KiB"
        case .malformed(let words): "the front matter is not valid YAML: \(words)"
        case .notMapping: "the front matter is not a list of names with values"
        case .tooDeep: "the front matter is nested deeper than \(FrontMatter.limitDepth) levels"
        case .reference: "anchors and aliases are not supported in front matter"
        case .badKey: "a name in the front matter is not plain text"
        case .duplicateKey(let key):
            "\(key) stands twice in the front matter, with different values"
        case .invalidValue(let key, let expected): "\(key) is not \(expected)"
        }
    }
}
