/// A media type (RFC 9110 §8.3.1), with its parameters.
///
/// Type, subtype and the names of parameters are in lower case, so that they can be compared;
/// values are as they were sent, without quotes.
///
/// ```swift
/// let type = MediaType("Text/HTML; charset=\"UTF-8\"")
/// let isPage = type?.is("text/html") ?? false
/// let charset = type?.parameter("charset")
/// ```
public struct MediaType: Sendable, Hashable {
    /// In lower case.
    public let type: String
    /// In lower case.
    public let subtype: String
    /// Names in lower case.
    public let parameters: [Parameter]

    public struct Parameter: Sendable, Hashable {
        public let name: String
        public let value: String
    }

    /// Parses a field value; `nil` if it is not a media type.
    public init?(_ text: String) {
        var reader = FieldValueReader(text)
        reader.skipSpace()
        self.init(from: &reader)
        guard reader.isAtEnd else { return nil }
    }

    /// - Parameter isRange: True if the text is an element of `Accept`: then `*` alone stands for
    ///   `*/*`, and parameters without a value are empty.
    init?(from reader: inout FieldValueReader, isRange: Bool = false) {
        guard let type = reader.token() else { return nil }
        let subtype = reader.take("/") ? reader.token() : isRange && type == "*" ? type : nil
        guard let subtype,
            let parameters = reader.parameters(allowsBare: isRange, allowsEmpty: isRange)
        else { return nil }
        self.type = type.lowercased()
        self.subtype = subtype.lowercased()
        self.parameters = parameters.map { Parameter(name: $0.name, value: $0.value) }
    }

    /// Returns true if type and subtype equal `text` (`application/json`), which is in lower case.
    public func `is`(_ text: String) -> Bool { "\(type)/\(subtype)" == text }

    /// The parameter's value; `nil` without it.
    public func parameter(_ name: String) -> String? {
        parameters.first { $0.name == name }?.value
    }

    /// Returns true if an `Accept` value covers this type (RFC 9110 §12.5.1). Without a value, or
    /// without a valid element in it, every type is acceptable.
    public func isAccepted(by accept: String?) -> Bool { Accept(accept).quality(of: self) > 0 }
}

extension MediaType: CustomStringConvertible {
    /// The media type as a field value.
    public var description: String {
        parameters.reduce("\(type)/\(subtype)") { text, parameter in
            "\(text);\(parameter.name)=\(Self.quoted(parameter.value))"
        }
    }

    private static func quoted(_ value: String) -> String {
        if !value.isEmpty, value.utf8.allSatisfy(Token.contains) { return value }
        var text = "\""
        for scalar in value.unicodeScalars {
            if scalar == "\"" || scalar == "\\" { text.unicodeScalars.append("\\") }
            text.unicodeScalars.append(scalar)
        }
        return text + "\""
    }
}
