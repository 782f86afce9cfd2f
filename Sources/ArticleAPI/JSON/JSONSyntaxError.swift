/// Why bytes are not valid JSON (RFC 8259) within the parser's limits, and where.
public struct JSONSyntaxError: Error, Sendable, Hashable {
    public var reason: Reason
    /// The number of bytes before the error.
    public var offset: Int
    /// The line, counted from 1.
    public var line: Int
    /// The column in bytes, counted from 1.
    public var column: Int
    /// The innermost value that contains the error.
    public var path: JSONPath

    /// The same error with its path extended by an enclosing value.
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
        /// A UTF-16 surrogate without its other half (`\uD800`).
        case loneSurrogate
        case controlCharacter
        case invalidUTF8
        case duplicateName(String)
        case tooDeep(limit: Int)
        case tooManyValues(limit: Int)
        case trailingBytes
    }

    /// What is wrong, for the sender.
    public var message: String {
        "\(reason.message), at line \(line), column \(column) (\(path))"
    }
}

extension JSONSyntaxError.Reason {
    fileprivate var message: String {
        switch self {
        case .endOfText: "the JSON text ends unexpectedly"
        case .unexpectedByte(let byte) where byte > 0x20 && byte < 0x7F:
            "unexpected `\(Character(Unicode.Scalar(byte)))`"
        case .unexpectedByte(let byte): "unexpected byte 0x\(String(byte, radix: 16))"
        case .badLiteral: "an invalid literal; expected `true`, `false` or `null`"
        case .badNumber: "not a valid JSON number of at most 100 characters"
        case .badEscape: "an invalid escape sequence"
        case .loneSurrogate: "a \\u escape is an unpaired surrogate"
        case .controlCharacter: "control characters must be escaped"
        case .invalidUTF8: "invalid UTF-8"
        case .duplicateName(let name): "the name `\(name.excerpt)` occurs twice in an object"
        case .tooDeep(let limit): "nested deeper than \(limit) levels"
        case .tooManyValues(let limit): "more than \(limit) values"
        case .trailingBytes: "unexpected content after the JSON value"
        }
    }
}
