/// Reads the members of one object in the order of a shape's fields, straight from the text.
///
/// Members that stand in another order, or twice, are left to the way by `JSONValue`.
struct MemberScanner {
    /// How the fields' names stand in the text, with quotation marks and colon; in their order.
    private let written: [[UInt8]]
    private let positions: [String: Int]
    /// The field to be read next.
    private var next = 0
    private var unknown: [String] = []
    private var isClosed = false
    /// Something is not as it should be: no value is to be made of what was read.
    private(set) var hasFailed = false

    /// Names of one object that nobody knows: with more of them it is read the other way.
    private static let unknownLimit = 32

    /// - Parameter written: `"name":` of each field.
    init(_ written: [[UInt8]], _ positions: [String: Int]) {
        self.written = written
        self.positions = positions
    }

    /// Steps into the object.
    mutating func open(_ parser: inout JSONParser) -> Bool {
        guard parser.takesValue(), parser.depth < JSONParser.depthLimit,
            parser.takes(UInt8(ascii: "{"))
        else { return false }
        parser.depth += 1
        parser.skipWhitespace()
        isClosed = parser.takes(UInt8(ascii: "}"))
        return true
    }

    /// Steps out of the object; false if it has more than is known of it.
    mutating func close(_ parser: inout JSONParser) -> Bool {
        while !isClosed, !hasFailed { skipUnknown(&parser) }
        parser.depth -= 1
        return !hasFailed
    }

    /// Whether the value of the next field stands here.
    @inline(__always)
    mutating func reaches(_ parser: inout JSONParser) -> Bool {
        let field = next
        next += 1
        return isAt(field, &parser) || reachesLater(field, &parser)
    }

    /// The value that stands here; steps over it.
    @inline(__always)
    mutating func value<Value>(
        _ parser: inout JSONParser, _ scan: (inout JSONParser) -> Value?
    ) throws(UnreadPart) -> Value {
        guard let value = scan(&parser) else { throw UnreadPart() }
        leave(&parser)
        return value
    }

    /// Whether the value that stands here is `null`; then it steps over it.
    mutating func hasNull(_ parser: inout JSONParser) -> Bool {
        guard parser.takesNull() else { return false }
        leave(&parser)
        return true
    }

    /// Steps over what is between a member's value and the next member.
    @inline(__always)
    private mutating func leave(_ parser: inout JSONParser) {
        parser.skipWhitespace()
        if parser.takes(UInt8(ascii: ",")) {
            parser.skipWhitespace()
        } else if parser.takes(UInt8(ascii: "}")) {
            isClosed = true
        } else {
            hasFailed = true
        }
    }

    @inline(__always)
    private func isAt(_ field: Int, _ parser: inout JSONParser) -> Bool {
        guard !isClosed, parser.takes(written[field]) else { return false }
        parser.skipWhitespace()
        return true
    }

    /// Steps over what nobody knows before the field; false, too, if the field is absent.
    private mutating func reachesLater(_ field: Int, _ parser: inout JSONParser) -> Bool {
        // Invariant: the parser stands at a member that is not the field's.
        while !isClosed, !hasFailed {
            for other in next..<written.count where parser.stands(written[other]) { return false }
            skipUnknown(&parser)
            if isAt(field, &parser) { return true }
        }
        return false
    }

    private mutating func skipUnknown(_ parser: inout JSONParser) {
        guard unknown.count < Self.unknownLimit, parser.stands(Self.quotationMark),
            let name = try? parser.string(), positions[name] == nil, !unknown.contains(name)
        else {
            hasFailed = true
            return
        }
        parser.skipWhitespace()
        guard parser.takes(UInt8(ascii: ":")), (try? parser.value()) != nil else {
            hasFailed = true
            return
        }
        unknown.append(name)
        leave(&parser)
    }

    private static let quotationMark = [UInt8(ascii: "\"")]
}
