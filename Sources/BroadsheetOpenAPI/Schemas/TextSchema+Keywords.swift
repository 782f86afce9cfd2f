import ArticleAPI

/// Texts as JSON Schema 2020-12: `format`, limits, and patterns (ECMA-262) that accept at least the
/// texts that the backend accepts.
extension TextSchema {
    var keywords: JSONValue {
        .members(
            ("type", .string("string")), ("format", format.map(JSONValue.string)),
            ("minLength", length.lowerBound > 0 ? .integer(length.lowerBound) : nil),
            ("maxLength", .integer(length.upperBound)),
            ("pattern", pattern.map(JSONValue.string)))
    }

    private var format: String? {
        switch form {
        case .identifier: "uuid"
        case .timestamp: "date-time"
        case .webAddress: "uri"
        case .line, .lines, .anything, .articleKey, .language, .slug, .fieldNames, .token,
            .entityTags:
            nil
        }
    }

    private var pattern: String? {
        switch form {
        case .line: #"^[^\u0000-\u001F\u007F-\u009F\u2028\u2029]*$"#
        case .lines: #"^[^\u0000]*$"#
        case .identifier:
            "^[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-7[0-9A-Fa-f]{3}-[89ABab][0-9A-Fa-f]{3}-[0-9A-Fa-f]{12}$"
        case .anything, .articleKey, .timestamp: nil
        case .language: "^[0-9A-Za-z]{1,8}(-[0-9A-Za-z]{1,8})*$"
        case .webAddress: "^[Hh][Tt][Tt][Pp][Ss]?://"
        // Of ASCII, lower-case letters, digits and hyphens.
        case .slug: #"^[^\u0000-,./:-`{-\u007F]*$"#
        case .fieldNames(let names):
            {
                let name = names.map { $0.split(separator: ".").joined(separator: "[.]") }
                    .joined(separator: "|")
                return "^(\(name))(,(\(name)))*$"
            }()
        case .token: "^[!-~]*$"
        case .entityTags: #"^(\*|.*".*)$"#
        }
    }
}
