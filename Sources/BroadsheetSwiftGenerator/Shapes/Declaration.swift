/// A type that generated code declares.
struct Declaration: Hashable, Sendable {
    let name: TypeName
    /// The purpose of the type.
    var comment: String
    var content: Content

    enum Content: Hashable, Sendable {
        case object([Property])
        case choice(Choice)
        case union(Union)
    }

    /// The shapes of the values that a value of this type contains.
    var shapes: [Shape] {
        switch content {
        case .object(let properties): properties.map(\.shape)
        case .choice: []
        case .union(let union): union.forms.map(\.shape)
        }
    }
}

/// An attribute of an object.
struct Property: Hashable, Sendable {
    /// The ways in which an attribute may be absent.
    enum Presence: Hashable, Sendable {
        case required
        /// Absent or `null`.
        case optional
        /// An attribute of a merge patch: absent, `null` or a value.
        case change
    }

    /// The sender of an attribute: only the API, only its clients, or both.
    enum Direction: Hashable, Sendable {
        case both, responses, requests
    }

    /// The name on the wire.
    let key: String
    let name: String
    var shape: Shape
    var presence: Presence
    var comment = ""
    /// The sender of the attribute.
    var direction = Direction.both
    /// True if the value is stored on the heap, because it contains a value of the same type.
    var isIndirect = false

    /// True if the property's type is optional.
    var isOptional: Bool {
        if case .nullable = shape { return presence != .change }
        return presence == .optional
    }
}

/// Texts of which one is chosen.
struct Choice: Hashable, Sendable {
    struct Case: Hashable, Sendable {
        let name: String
        let value: String
    }

    let cases: [Case]
    /// The case of texts that are not known.
    let unknownName: String
}

/// Forms of which a value has one.
struct Union: Hashable, Sendable {
    struct Form: Hashable, Sendable {
        let name: String
        /// The values of the tag; none if forms are tried in turn.
        let tags: [String]
        let shape: Shape
    }

    /// The attribute that tells the forms apart; `nil` if they are tried in turn.
    let tagKey: String?
    let forms: [Form]
    /// The case of objects with other tags.
    let unknownName: String?
    /// True if a form contains a value of the same type.
    var isIndirect = false
}

/// A request that generated code declares.
struct RequestDeclaration: Sendable {
    let name: String
    /// `GET /pets/{id}`.
    let method: String
    let path: String
    let operation: String
    let summary: String
    let comment: String
    /// True if the API requires credentials for it.
    let needsAccount: Bool
    /// The status of a successful response.
    let status: Int
    let parts: [Part]
    let response: Response

    /// A parameter or the body.
    struct Part: Sendable {
        enum Location: Sendable {
            case path, query, queryList, header
            case body, mergePatch
            /// A body in this media type.
            case bytes(String)
        }

        let key: String
        let name: String
        let location: Location
        let shape: Shape
        let isRequired: Bool
        let comment: String
    }

    enum Response: Sendable {
        case nothing
        case events
        case value(Shape)
        /// Bytes in this media type.
        case bytes(String)
    }
}
