/// Reads an XML document event by event, in constant memory, without trusting it.
///
/// Nothing outside of the document is ever read, and no entities exist but the five of XML, numeric
/// ones and names of HTML's characters (`&eacute;`): declarations in a DOCTYPE are left out, and
/// references to other entities stay text as they are written. Common violations of well-formedness
/// are repaired (`XMLRepair`).
///
/// After the start of an element, `text(limitBytes:)`, `markup(limitBytes:)` and `skip()` read up
/// to its end.
///
/// A reader is used by one thread at a time; any number of readers may exist.
package final class XMLReader {
    /// Further bytes of a document; none at its end.
    package typealias Source = () throws(XMLSourceError) -> [UInt8]

    /// The line of the last event, from 1.
    package private(set) var line = 1
    private let limits: XMLLimits
    private let source: Source
    private var repair: XMLRepair
    private var parser: XMLParser?
    /// Repaired bytes of the source that have not been parsed, from `start` on.
    private var chunk: [UInt8] = []
    private var start = 0
    private var readBytes = 0
    private var isAtEnd = false
    private var isFinished = false

    /// The number of bytes that are parsed together: fewer than a block of libxml2 would be slow,
    /// and an incomplete construct is looked through again with each further part.
    private static let partBytes = 2_048
    /// Number of bytes that are repaired together.
    private static let chunkBytes = 64 << 10

    /// - Parameters:
    ///   - encoding: overrides the declaration of the document, as a media type's `charset` does
    ///     (RFC 7303 §3); a byte order mark overrides both.
    ///   - source: called for further bytes of the document.
    package init(
        encoding: String? = nil, limits: XMLLimits = XMLLimits(), source: @escaping Source
    ) {
        self.limits = limits
        repair = XMLRepair(label: encoding, limits: limits)
        self.source = source
    }

    package convenience init(
        _ bytes: [UInt8], encoding: String? = nil, limits: XMLLimits = XMLLimits()
    ) {
        var rest = bytes[...]
        self.init(encoding: encoding, limits: limits) { () throws(XMLSourceError) in
            defer { rest = rest.dropFirst(Self.chunkBytes) }
            return Array(rest.prefix(Self.chunkBytes))
        }
    }

    /// The repairs of the part of the document that was read.
    package var repairs: XMLRepairs { repair.repairs }

    /// The next event; `nil` at the end of the document. After an error, there are no more events.
    package func next() throws(XMLError) -> XMLEvent? {
        while true {
            if let found = parser?.take() {
                line = found.line
                return found.event
            }
            if let failure = parser?.failure {
                line = failure.line
                throw failure
            }
            if isFinished { return nil }
            try parseMore()
        }
    }

    private func parseMore() throws(XMLError) {
        let parser = try startedParser()
        let part = try read(Self.partBytes)
        guard part.isEmpty else { return parser.push(part) }
        if let failure = repair.failure {
            parser.fail(failure.reason, line: failure.line)
        } else {
            isFinished = true
            parser.finish()
        }
    }

    private func startedParser() throws(XMLError) -> XMLParser {
        if let parser { return parser }
        try fill(1)
        let parser = try XMLParser(limits, firstLine: repair.firstLine)
        self.parser = parser
        // From four bytes, libxml2 detects an encoding.
        parser.push(try read(4))
        return parser
    }

    /// Removes up to `count` bytes of the source; fewer only at its end.
    private func read(_ count: Int) throws(XMLError) -> [UInt8] {
        try fill(count)
        let part = Array(chunk[start...].prefix(count))
        start += part.count
        return part
    }

    /// Reads on until there are `count` bytes.
    ///
    /// - Returns: True if there are.
    @discardableResult
    private func fill(_ count: Int) throws(XMLError) -> Bool {
        while chunk.count - start < count, !isAtEnd {
            guard !ReadingTime.isOver() else { throw XMLError(line: line, .outOfTime) }
            let bytes: [UInt8]
            do throws(XMLSourceError) { bytes = try source() } catch {
                throw XMLError(line: line, .unreadable(error.reason))
            }
            readBytes += bytes.count
            if let limit = limits.documentBytes, readBytes > limit {
                throw XMLError(line: line, .documentTooLarge(limitBytes: limit))
            }
            chunk.removeSubrange(..<start)
            start = 0
            chunk += bytes.isEmpty ? repair.finish() : repair.take(bytes)
            isAtEnd = bytes.isEmpty || repair.failure != nil
        }
        return chunk.count - start >= count
    }
}
