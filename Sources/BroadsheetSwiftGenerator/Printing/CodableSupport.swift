/// The parts of a model for Foundation's coders beside its properties: a type for JSON of any kind,
/// a type for changes, and coders for times.
struct CodableSupport {
    var hasChanges: Bool
    var hasAnything: Bool
    var hasTimes: Bool

    /// The names of the types.
    static let names = ["AnyJSON", "Change"]

    func declare(in writer: inout SourceWriter) {
        if hasChanges { declare(Self.change, in: &writer) }
        if hasAnything { declare(Self.anything, in: &writer) }
        if hasTimes { declare(Self.coders, in: &writer) }
    }

    private func declare(_ text: String, in writer: inout SourceWriter) {
        writer.blank()
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            if line.isEmpty {
                writer.blank()
            } else {
                writer.line(String(line).replacing("public ", with: writer.access))
            }
        }
    }

    private static let change = """
        /// A change of a value that may be absent.
        public enum Change<Value: Sendable>: Sendable {
            case keep
            case clear
            case set(Value)

            fileprivate func applied(to current: Value?) -> Value? {
                switch self {
                case .keep: current
                case .clear: nil
                case .set(let value): value
                }
            }
        }
        """

    private static let anything = """
        /// JSON of any kind.
        public enum AnyJSON: Codable, Sendable, Hashable {
            case null
            case boolean(Bool)
            case number(Double)
            case string(String)
            case array([AnyJSON])
            case object([String: AnyJSON])

            public init(from decoder: any Decoder) throws {
                let container = try decoder.singleValueContainer()
                if container.decodeNil() {
                    self = .null
                } else if let value = try? container.decode(Bool.self) {
                    self = .boolean(value)
                } else if let value = try? container.decode(Double.self) {
                    self = .number(value)
                } else if let value = try? container.decode(String.self) {
                    self = .string(value)
                } else if let value = try? container.decode([AnyJSON].self) {
                    self = .array(value)
                } else {
                    self = .object(try container.decode([String: AnyJSON].self))
                }
            }

            public func encode(to encoder: any Encoder) throws {
                var container = encoder.singleValueContainer()
                switch self {
                case .null: try container.encodeNil()
                case .boolean(let value): try container.encode(value)
                case .number(let value): try container.encode(value)
                case .string(let value): try container.encode(value)
                case .array(let value): try container.encode(value)
                case .object(let value): try container.encode(value)
                }
            }
        }
        """

    private static let coders = """
        /// Decodes times of RFC 3339, with and without fractions of a second.
        public static var decoder: JSONDecoder {
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .custom { decoder in
                let text = try decoder.singleValueContainer().decode(String.self)
                let hasFraction = text.contains(".")
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: hasFraction)
                return try Date(text, strategy: style)
            }
            return decoder
        }

        /// Encodes times as RFC 3339 describes, in UTC with milliseconds.
        public static var encoder: JSONEncoder {
            let encoder = JSONEncoder()
            encoder.dateEncodingStrategy = .custom { date, encoder in
                let style = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
                // The style drops what follows the milliseconds, instead of rounding.
                let rounded = date.addingTimeInterval(0.000_5)
                var container = encoder.singleValueContainer()
                try container.encode(rounded.formatted(style))
            }
            return encoder
        }
        """
}
