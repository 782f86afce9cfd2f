/// The values that a place in the contract accepts, for documentation and generated tests.
public indirect enum JSONSchema: Sendable, Hashable {
    case boolean
    case integer(ClosedRange<Int>)
    case text(TextSchema)
    /// One of these texts.
    case choice([String])
    case array(of: JSONSchema, count: ClosedRange<Int>)
    case object([Property])
    /// Any of these; they differ in their JSON kind or their required properties.
    case either([JSONSchema])
    /// This, or `null`, which resets the attribute in a merge patch.
    case nullable(JSONSchema)

    /// One property of an object.
    public struct Property: Sendable, Hashable {
        public var name: String
        public var schema: JSONSchema
        public var isRequired: Bool
    }
}

/// The texts that a place in the contract accepts.
public struct TextSchema: Sendable, Hashable {
    public var form: Form
    /// Unicode scalars, as JSON Schema counts characters.
    public var length: ClosedRange<Int>

    public init(_ form: Form, length: ClosedRange<Int>) {
        self.form = form
        self.length = length
    }

    public enum Form: Sendable, Hashable {
        /// Without line breaks and other control characters.
        case line
        /// Any text without NUL.
        case lines
        /// A UUIDv7 (RFC 9562).
        case identifier
        /// A UUIDv7 or a slug.
        case articleKey
        /// RFC 3339.
        case timestamp
        /// BCP 47.
        case language
        /// An absolute http(s) URL.
        case webAddress
        case slug
        /// Comma-separated names out of these; nested ones are dotted: `id,authors.name`.
        case fieldNames([String])
        /// Printable ASCII without spaces.
        case token
        /// Entity tags (RFC 9110 §8.8.3) separated by commas, or `*`.
        case entityTags
    }
}
