/// Reads an XML document event by event, in constant memory, without trusting it.
///
/// Nothing outside of the document is ever read, and no entities exist but the five of XML and
/// numeric ones: a document that declares some is rejected. A DOCTYPE that only refers to a DTD, as
/// in RSS 0.91, is accepted, and the DTD ignored; references to its entities stay as they are
/// written (`&eacute;`).
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
    private let encoding: String?
    private let source: Source
    private var parser: XMLParser?
    /// Bytes of the source that have not been parsed, from `start` on.
    private var chunk: [UInt8] = []
    private var start = 0
    private var readBytes = 0
    private var isAtEnd = false
    private var isFinished = false

    /// Number of bytes that are parsed together: fewer than a block of libxml2 would be slow, and
    /// what is incomplete is looked through again with each further part.
    private static let partBytes = 2_048
    private static let blanks: [UInt8] = [0x20, 0x09, 0x0A, 0x0D]

    /// - Parameters:
    ///   - encoding: overrides the declaration of the document, as a media type's `charset` does
    ///     (RFC 7303 §3); a byte order mark overrides both.
    ///   - source: called for further bytes of the document.
    package init(
        encoding: String? = nil, limits: XMLLimits = XMLLimits(), source: @escaping Source
    ) {
        self.encoding = encoding
        self.limits = limits
        self.source = source
    }

    package convenience init(
        _ bytes: [UInt8], encoding: String? = nil, limits: XMLLimits = XMLLimits()
    ) {
        var rest = bytes
        self.init(encoding: encoding, limits: limits) { () throws(XMLSourceError) in
            defer { rest = [] }
            return rest
        }
    }

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
        if parser == nil { try begin() }
        guard let parser else { return }
        let part = try read(Self.partBytes)
        if part.isEmpty {
            isFinished = true
            parser.finish()
        } else {
            parser.push(part)
        }
    }

    /// Looks at the beginning of the document: a byte order mark decides its encoding, and blank
    /// lines before the XML declaration, which are common in feeds, are skipped.
    private func begin() throws(XMLError) {
        var encoding = encoding
        var firstLine = 1
        try fill(4)
        if chunk[start...].starts(with: [0xEF, 0xBB, 0xBF]) {
            start += 3
            encoding = "UTF-8"
        } else if chunk[start...].starts(with: [0xFE, 0xFF])
            || chunk[start...].starts(with: [0xFF, 0xFE])
        {
            encoding = nil
        }
        while try fill(2) {
            guard Self.blanks.contains(chunk[start]), chunk[start + 1] != 0 else { break }
            if chunk[start] == 0x0A { firstLine += 1 }
            start += 1
        }
        let made = try XMLParser(limits, encoding: encoding, firstLine: firstLine)
        parser = made
        // From four bytes, libxml2 detects an encoding.
        made.push(try read(4))
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
    /// - Returns: whether there are.
    @discardableResult
    private func fill(_ count: Int) throws(XMLError) -> Bool {
        while chunk.count - start < count, !isAtEnd {
            let bytes: [UInt8]
            do throws(XMLSourceError) { bytes = try source() } catch {
                throw XMLError(line: line, .unreadable(error.reason))
            }
            isAtEnd = bytes.isEmpty
            readBytes += bytes.count
            if let limit = limits.documentBytes, readBytes > limit {
                throw XMLError(line: line, .documentTooLarge(limitBytes: limit))
            }
            chunk.removeSubrange(..<start)
            start = 0
            chunk += bytes
        }
        return chunk.count - start >= count
    }
}
