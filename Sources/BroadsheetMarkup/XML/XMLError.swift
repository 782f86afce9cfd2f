/// Limits of the documents that an ``XMLReader`` accepts.
package struct XMLLimits: Sendable, Hashable {
    /// Maximum size of the document; `nil` for one that is read in constant memory.
    package var documentBytes: Int? = 10 << 20
    /// Maximum nesting of elements, at most 250.
    package var depth = 100
    /// Maximum length of a name, of its prefix and of its namespace, in UTF-8.
    package var nameBytes = 1_000
    /// Maximum number of attributes and of namespaces that an element declares.
    package var attributes = 200
    /// Maximum size of a tag, a comment or a processing instruction.
    package var tagBytes = 256 << 10
    /// Size from which on a text comes in several events.
    package var pieceBytes = 64 << 10

    package init() {}

    /// - Parameter documentBytes: `nil` for a document of any size.
    package init(documentBytes: Int?) { self.documentBytes = documentBytes }
}

/// The reason why a document could not be read, and the line.
package struct XMLError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The line of the document, from 1.
    package var line: Int
    package var reason: Reason

    package enum Reason: Sendable, Hashable {
        /// Not well-formed, with libxml2's message.
        case malformed(String)
        /// Declarations inside of `<!DOCTYPE … [ … ]>`. They could make an entity expand to
        /// gigabytes, or name files.
        case declarations
        case unknownEncoding(String)
        /// The bytes are not text in the document's encoding.
        case invalidEncoding
        case documentTooLarge(limitBytes: Int)
        case tooDeep(limit: Int)
        case nameTooLong(limitBytes: Int)
        case tooManyAttributes(limit: Int)
        case tagTooLong(limitBytes: Int)
        /// More repairs than `limit`, and than one in 100 bytes.
        case tooManyRepairs(limit: Int)
        /// The source of the bytes failed.
        case unreadable(String)
        case outOfMemory
        case outOfTime
    }

    package init(line: Int, _ reason: Reason) {
        self.line = line
        self.reason = reason
    }

    /// The reason as a phrase, without the line.
    package var phrase: String {
        switch reason {
        case .malformed(let message): "it is not well-formed XML: \(message)"
        case .declarations:
            "it declares entities or elements in its DOCTYPE, which is not accepted"
        case .unknownEncoding(let name): "the encoding \"\(name)\" is not known"
        case .invalidEncoding: "it contains bytes that are not text in its encoding"
        case .documentTooLarge(let limit): "it is larger than \(limit) bytes"
        case .tooDeep(let limit): "it nests more than \(limit) elements"
        case .nameTooLong(let limit): "it contains a name of more than \(limit) bytes"
        case .tooManyAttributes(let limit): "an element has more than \(limit) attributes"
        case .tagTooLong(let limit): "a tag or comment is longer than \(limit) bytes"
        case .tooManyRepairs(let limit):
            "it is not well-formed XML in more than \(limit) places, and one in 100 bytes"
        case .unreadable(let reason): reason
        case .outOfMemory: "there is not enough memory to read it"
        case .outOfTime: ReadingTime.phrase
        }
    }

    package var description: String { "line \(line): \(phrase)" }
}

/// The failure of a source of bytes, as a phrase.
package struct XMLSourceError: Error, Sendable, Hashable {
    package var reason: String

    package init(_ reason: String) { self.reason = reason }
}
