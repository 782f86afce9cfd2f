/// What went wrong, for machines and for people (RFC 9457).
public struct Problem: Error, Sendable, Hashable {
    /// A stable URI, `/problems/<name>`, by which clients tell problems apart.
    public var type: String
    /// A summary, which is the same for every problem of the type.
    public var title: String
    /// The HTTP status.
    public var status: Int
    /// What went wrong in this occurrence, in a sentence.
    public var detail: String?
    /// The request's id.
    public var instance: String?
    /// The individual faults of the request.
    public var errors: [Detail]

    public static let mediaType = "application/problem+json"

    public init(
        type: String, title: String, status: Int, detail: String? = nil, instance: String? = nil,
        errors: [Detail] = []
    ) {
        self.type = type
        self.title = title
        self.status = status
        self.detail = detail
        self.instance = instance
        self.errors = errors
    }

    /// A problem of a known kind.
    public init(
        _ kind: Kind, detail: String? = nil, instance: String? = nil, errors: [Detail] = []
    ) {
        self.init(
            type: kind.type, title: kind.title, status: kind.status, detail: detail,
            instance: instance, errors: errors)
    }

    /// The kind; `nil` if this version does not know the type.
    public var kind: Kind? { Kind.allCases.first { $0.type == type } }

    /// One fault of a request, and its place.
    public struct Detail: Sendable, Hashable {
        /// What is wrong: words that follow the name of the place, or a whole sentence if there is
        /// no place.
        public var detail: String
        public var place: Place?

        public init(_ detail: String, at place: Place? = nil) {
            self.detail = detail
            self.place = place
        }

        /// The detail with its place before it: "The parameter `limit` must be an integer".
        var sentence: String {
            switch place {
            case nil: detail
            case .pointer("")?: "The body \(detail)"
            case .pointer(let pointer)?: "\(pointer) \(detail)"
            case .parameter(let name)?: "The parameter `\(name)` \(detail)"
            case .header(let name)?: "The header field \(name) \(detail)"
            }
        }
    }

    /// A place in a request.
    public enum Place: Sendable, Hashable {
        /// In the body: a JSON pointer (RFC 6901), which is empty for the whole body.
        case pointer(String)
        /// In the path or the query.
        case parameter(String)
        case header(String)
    }
}

extension Problem: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(type:title:status:detail:instance:errors:),
        .defaulted("type", to: "about:blank", \.type, .text(.line(0...2000))),
        .defaulted("title", to: "", \.title, .text(.line(0...1000))),
        .defaulted("status", to: 0, \.status, .integer(0...999)),
        .optional("detail", \.detail, .text(.lines(0...10_000))),
        .optional("instance", \.instance, .text(.line(0...2000))),
        .defaulted("errors", to: [], \.errors, .array(of: Detail.format, atMost: 100)))
}

extension Problem.Detail: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(detail:pointer:parameter:header:),
        .required("detail", \.detail, .text(.lines(0...10_000))),
        .optional("pointer", \.pointer, .text(.lines(0...10_000))),
        .optional("parameter", \.parameter, .text(.lines(0...10_000))),
        .optional("header", \.header, .text(.line(0...1000))))

    private init(detail: String, pointer: String?, parameter: String?, header: String?) {
        let places = [
            pointer.map(Problem.Place.pointer), parameter.map(Problem.Place.parameter),
            header.map(Problem.Place.header),
        ]
        self.init(detail, at: places.compactMap(\.self).first)
    }

    private var pointer: String? { if case .pointer(let text)? = place { text } else { nil } }
    private var parameter: String? { if case .parameter(let text)? = place { text } else { nil } }
    private var header: String? { if case .header(let text)? = place { text } else { nil } }
}

extension Problem {
    /// What is wrong with one field of a form: with the value at a JSON pointer (RFC 6901) or with
    /// a value inside it.
    ///
    /// `error.problem?.faults(at: "/title").first` is the message for a form's title field.
    ///
    /// - Returns: phrases that follow the field's name, such as "is longer than 300 characters".
    public func faults(at pointer: String) -> [String] {
        errors.compactMap { error in
            guard case .pointer(let place)? = error.place else { return nil }
            let isInside = place == pointer || place.hasPrefix(pointer + "/")
            return isInside ? error.detail : nil
        }
    }
}
