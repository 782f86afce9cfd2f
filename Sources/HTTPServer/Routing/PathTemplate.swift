import HTTP

/// The segments of a route's path: `/v1/articles/{id}`.
struct PathTemplate {
    enum Part: Equatable {
        case literal(String)
        case parameter(String)
    }

    let parts: [Part]

    var names: [String] {
        parts.compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The indices of the segments that are parameters.
    var places: [Int] {
        parts.indices.filter { if case .parameter = parts[$0] { true } else { false } }
    }

    init(_ text: String) throws(RouterError) {
        guard text.first == "/" else { throw .malformed(text, "it does not start with /") }
        var parts: [Part] = []
        for segment in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            parts.append(try Self.part(String(segment), of: text))
        }
        self.parts = parts
        guard Set(names).count == names.count else {
            throw .malformed(text, "a parameter name is repeated")
        }
    }

    private static func part(_ segment: String, of text: String) throws(RouterError) -> Part {
        if segment.hasPrefix("{"), segment.hasSuffix("}") {
            let name = String(segment.dropFirst().dropLast())
            guard !name.isEmpty, !name.contains(where: { "{}".contains($0) }) else {
                throw .malformed(text, "a parameter needs a name")
            }
            return .parameter(name)
        }
        guard !segment.contains(where: { "{}%?#".contains($0) }), segment != ".", segment != ".."
        else { throw .malformed(text, "a segment is neither plain text nor one parameter") }
        guard !segment.isEmpty || text == "/" else { throw .malformed(text, "a segment is empty") }
        return .literal(segment)
    }
}

/// Why routes are invalid or conflict.
public enum RouterError: Error, Sendable, Hashable, CustomStringConvertible {
    case malformed(String, String)
    /// Two handlers match the same requests.
    case conflict(method: String, String, String)

    public var description: String {
        switch self {
        case .malformed(let template, let reason): "route \(template): \(reason)"
        case .conflict(let method, let first, let second):
            "routes \(first) and \(second) both handle \(method)"
        }
    }
}

/// The decoded segments of a path, without a copy if nothing is percent-encoded.
struct PathSegments {
    private let bytes: [UInt8]
    private let ranges: [Range<Int>]

    /// - Throws: For invalid percent-encodings and dot segments.
    init(_ target: RequestTarget) throws(RequestTarget.PathError) {
        // The path of an absolute form may be a slice of its own, not of the target.
        let path = target.form == .absolute ? Array(target.path)[...] : target.path
        if path.contains(UInt8(ascii: "%")) {
            (bytes, ranges) = Self.join(try target.segments())
            return
        }
        var ranges: [Range<Int>] = []
        ranges.reserveCapacity(8)
        var start = path.startIndex + 1
        // Invariant: the segments before `start` are in `ranges`, and none is a dot segment.
        for index in start...path.endIndex
        where index == path.endIndex || path[index] == UInt8(ascii: "/") {
            let isDots = path[start..<index].allSatisfy { $0 == UInt8(ascii: ".") }
            if isDots, (1...2).contains(index - start) { throw .dotSegment }
            ranges.append(start..<index)
            start = index + 1
        }
        bytes = target.form == .absolute ? Array(path) : target.bytes
        self.ranges = ranges
    }

    private static func join(_ segments: [String]) -> ([UInt8], [Range<Int>]) {
        var bytes: [UInt8] = []
        var ranges: [Range<Int>] = []
        for segment in segments {
            let start = bytes.count
            bytes += segment.utf8
            ranges.append(start..<bytes.count)
        }
        return (bytes, ranges)
    }

    var count: Int { ranges.count }

    func isEmpty(_ index: Int) -> Bool { ranges[index].isEmpty }

    func isEqual(_ index: Int, _ literal: [UInt8]) -> Bool {
        let range = ranges[index]
        guard range.count == literal.count else { return false }
        for offset in 0..<literal.count where bytes[range.lowerBound + offset] != literal[offset] {
            return false
        }
        return true
    }

    /// The parameters with these names at these positions.
    func parameters(_ names: [String], at places: [Int]) -> PathParameters {
        guard !names.isEmpty else { return PathParameters() }
        return PathParameters(
            names: names,
            values: places.map { String(decoding: bytes[ranges[$0]], as: UTF8.self) })
    }
}
