/// Collects the faults that are found while JSON values are read as typed values.
///
/// At most `limitFaults` are kept.
///
/// ```swift
/// var reader = JSONReader(.strict)
/// reader.report(.rejected("is in the past"))
/// let messages = reader.faults.map(\.message)
/// ```
package struct JSONReader: Sendable {
    /// A reader's treatment of unknown attributes and values outside the limits.
    package enum Strictness: Sendable, Hashable {
        /// For clients: unknown attributes are ignored, and limits are left to the backend.
        case lenient
        /// For backends: unknown attributes are rejected, and every limit is enforced.
        case strict
    }

    package let attitude: Strictness
    /// The faults in the order in which they were found; at most `limitFaults`.
    package private(set) var faults: [JSONFault] = []
    /// True if items of lists that cannot be read are left out; lists within items are complete.
    private(set) var leavesOutItems = false
    /// The first fault of each item that was left out.
    private(set) var leftOut: [JSONFault] = []

    package static let limitFaults = 100

    package init(_ attitude: Strictness) { self.attitude = attitude }

    /// A lenient reader that leaves out the items that it cannot read.
    static var leavingOutItems: JSONReader {
        var reader = JSONReader(.lenient)
        reader.leavesOutItems = true
        return reader
    }

    var isStrict: Bool { attitude == .strict }

    /// Records a fault of the current value.
    package mutating func report(_ reason: JSONFault.Reason) {
        guard faults.count < Self.limitFaults else { return }
        faults.append(JSONFault(path: JSONPath([]), reason: reason))
    }

    /// Reads a nested value. The path is only built for faults, from the inside out, because most
    /// values have none.
    @inline(__always)
    package mutating func reading<Value>(
        _ step: @autoclosure () -> JSONPath.Step, _ read: (inout JSONReader) -> Value
    ) -> Value {
        let (before, leftOutBefore) = (faults.count, leftOut.count)
        let value = read(&self)
        if faults.count > before { Self.prefix(step(), &faults, from: before) }
        if leftOut.count > leftOutBefore { Self.prefix(step(), &leftOut, from: leftOutBefore) }
        return value
    }

    private static func prefix(_ step: JSONPath.Step, _ faults: inout [JSONFault], from start: Int)
    {
        for index in start..<faults.count { faults[index].path.steps.insert(step, at: 0) }
    }

    /// Reads an item of a list; one that cannot be read is left out if the reader does so.
    mutating func item<Value>(
        at index: Int, _ read: (inout JSONReader) -> Value?
    ) -> Value? {
        guard leavesOutItems else { return reading(.index(index), read) }
        leavesOutItems = false
        defer { leavesOutItems = true }
        let before = faults.count
        let value = reading(.index(index), read)
        guard faults.count > before else { return value }
        leftOut.append(faults[before])
        faults.removeSubrange(before...)
        return nil
    }
}

/// One fault of a JSON value. See ``InvalidValue``.
package struct JSONFault: Sendable, Hashable {
    package var path: JSONPath
    package var reason: Reason

    package enum Reason: Sendable, Hashable {
        /// The value has the wrong kind, or its text the wrong form.
        case invalid(expected: String, found: String)
        /// A required attribute is absent; the path is where it should be.
        case missing
        /// The object has no such attribute.
        case unknown
        /// The value has the right kind but is not valid; the text says why.
        case rejected(String)
    }

    /// A description of the fault, in words that follow the name of the place.
    package var message: String {
        switch reason {
        case .invalid(let expected, let found): "must be \(expected), not \(found)"
        case .missing: "is missing"
        case .unknown: "is not an attribute that can be set here"
        case .rejected(let why): why
        }
    }
}

/// A place in a JSON document. See ``InvalidValue``.
package struct JSONPath: Sendable, Hashable, CustomStringConvertible {
    /// One step from a value to one inside it.
    package enum Step: Sendable, Hashable {
        case name(String)
        case index(Int)
    }

    package var steps: [Step]

    package init(_ steps: [Step] = []) { self.steps = steps }

    /// The path from the root: `$.items[3].author.name`; other names are in brackets: `$["a b"]`.
    package var description: String {
        steps.reduce(into: "$") { text, step in
            switch step {
            case .index(let index): text += "[\(index)]"
            case .name(let name) where Self.isPlain(name): text += ".\(name)"
            case .name(let name):
                var writer = JSONWriter()
                writer.string(name)
                text += "[\(String(decoding: writer.bytes, as: UTF8.self))]"
            }
        }
    }

    /// The JSON pointer (RFC 6901): `/items/3/author/name`; empty for the root.
    package var pointer: String {
        steps.reduce(into: "") { text, step in
            text += "/"
            switch step {
            case .index(let index): text += String(index)
            case .name(let name):
                for character in name.unicodeScalars {
                    switch character {
                    case "~": text += "~0"
                    case "/": text += "~1"
                    default: text.unicodeScalars.append(character)
                    }
                }
            }
        }
    }

    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty
            && name.utf8.enumerated().allSatisfy { index, byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "_"):
                    true
                case UInt8(ascii: "0")...UInt8(ascii: "9"): index > 0
                default: false
                }
            }
    }
}

/// The reason why bytes are not valid JSON (RFC 8259) within the parser's limits, and the place.
///
/// ```swift
/// do throws(JSONSyntaxError) {
///     value = try JSONParser.parse(bytes)
/// } catch {
///     place = "\(error.line):\(error.column)"
/// }
/// ```
package struct JSONSyntaxError: Error, Sendable, Hashable {
    package var reason: Reason
    /// The number of bytes before the error.
    package var offset: Int
    /// The line, counted from 1.
    package var line: Int
    /// The column in bytes, counted from 1.
    package var column: Int
    /// The innermost value that contains the error.
    package var path: JSONPath

    /// The same error with its path extended by an enclosing value.
    func inside(_ step: JSONPath.Step) -> JSONSyntaxError {
        var error = self
        error.path.steps.insert(step, at: 0)
        return error
    }

    package enum Reason: Sendable, Hashable {
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

    /// A description of the fault, for the sender.
    package var message: String {
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
