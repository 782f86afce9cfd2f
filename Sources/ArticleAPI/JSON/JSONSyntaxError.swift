/// Why bytes are no JSON (RFC 8259) that we accept, and where.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    public var reason: Reason
    /// Bytes before the place.
    public var offset: Int
    /// Lines count from 1.
    public var line: Int
    /// Bytes in the line before the place, plus 1.
    public var column: Int
    /// The value in which it happened.
    public var path: JSONPath

    /// The same, seen from one step further out.
    func inside(_ step: JSONPath.Step) -> JSONSyntaxError {
        var error = self
        error.path.steps.insert(step, at: 0)
        return error
    }

    public enum Reason: Sendable, Hashable {
        case endOfText
        case unexpectedByte(UInt8)
        case badLiteral
        case badNumber
        case badEscape
        /// One half of a UTF-16 pair alone (`\uD800`).
        case loneSurrogate
        case controlCharacter
        case invalidUTF8
        case duplicateName(String)
        case tooDeep(limit: Int)
        case tooManyValues(limit: Int)
        case trailingBytes
    }

    /// What is wrong, in words for the one who sent it.
    public var message: String {
        "\(reason.message), at line \(line), column \(column) (\(path))"
    }
}

extension JSONSyntaxError.Reason {
    fileprivate var message: String {
        switch self {
        case .endOfText: "the JSON text ends too early"
        case .unexpectedByte(let byte) where byte > 0x20 && byte < 0x7F:
            "unexpected `\(Character(Unicode.Scalar(byte)))`"
        case .unexpectedByte(let byte): "unexpected byte 0x\(String(byte, radix: 16))"
        case .badLiteral: "not one of `true`, `false` and `null`"
        case .badNumber: "not a JSON number of at most 100 characters"
        case .badEscape: "not an escape of JSON"
        case .loneSurrogate: "a \\u escape names half a character"
        case .controlCharacter: "a control character must be escaped"
        case .invalidUTF8: "invalid UTF-8"
        case .duplicateName(let name): "the name `\(name.excerpt)` stands twice in an object"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooManyValues(let limit): "more than \(limit) values"
        case .trailingBytes: "something follows the JSON value"
        }
    }
}
