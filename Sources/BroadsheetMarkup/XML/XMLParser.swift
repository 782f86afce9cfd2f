import BroadsheetHTTP
import CBroadsheetXML

/// The owner of a parser of libxml2 to which bytes are pushed (`xmlParseChunk`), and which queues
/// its events.
///
/// libxml2's own `xmlTextReader` is not used: it builds a node for each text, however long, and has
/// read the declarations of a DOCTYPE before it reports them.
///
/// No entities but the five of XML exist here, since declarations end the document. Nothing is
/// loaded: there are no functions to resolve entities or external subsets.
final class XMLParser {
    /// An event and the line on which it ends.
    typealias Found = (event: XMLEvent, line: Int)

    /// The reason why the document cannot be read further.
    private(set) var failure: XMLError?
    private let handle: xmlParserCtxtPtr
    private let limits: XMLLimits
    private let firstLine: Int
    private var queue: [Found] = []
    private var taken = 0
    private var text: [UInt8] = []
    /// True if the last octet of a CDATA section was a carriage return.
    private var isAfterReturn = false
    /// `xml:lang` and `xml:base` of the open elements.
    private var scopes: [(language: String?, base: String?)] = []
    private var hasRoot = false

    /// - Parameter firstLine: the number of the line that the document begins on.
    init(_ limits: XMLLimits, firstLine: Int) throws(XMLError) {
        LibXML.initialize()
        self.limits = limits
        self.firstLine = firstLine
        var handler = XMLCallbacks.handler
        guard let handle = xmlCreatePushParserCtxt(&handler, nil, nil, 0, nil) else {
            throw XMLError(line: firstLine, .outOfMemory)
        }
        self.handle = handle
        handle.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
        // Without an encoder, the parser reads and validates UTF-8.
        xmlCtxtUseOptions(
            handle, Int32(XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue))
    }

    deinit { xmlFreeParserCtxt(handle) }

    /// The next event that has been found.
    func take() -> Found? {
        guard taken < queue.count else {
            queue.removeAll(keepingCapacity: true)
            taken = 0
            return nil
        }
        defer { taken += 1 }
        return queue[taken]
    }

    /// Parses further bytes.
    func push(_ bytes: [UInt8]) {
        guard failure == nil, !bytes.isEmpty else { return }
        bytes.withUnsafeBytes { bytes in
            let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
            check(xmlParseChunk(handle, start, Int32(bytes.count), 0))
        }
        // Of an unfinished CDATA section, each call takes one block only.
        var left = pendingBytes
        while failure == nil, handle.pointee.instate == XML_PARSER_CDATA_SECTION,
            left >= Self.blockBytes
        {
            check(xmlParseChunk(handle, nil, 0, 0))
            guard pendingBytes < left else { break }
            left = pendingBytes
        }
        if left > limits.tagBytes { fail(.tagTooLong(limitBytes: limits.tagBytes)) }
    }

    /// The end of the document.
    func finish() {
        guard failure == nil else { return }
        check(xmlParseChunk(handle, nil, 0, 1))
        flushText()
        if !hasRoot || !scopes.isEmpty { fail(.malformed("the document ends too early")) }
    }

    /// `XML_PARSER_BIG_BUFFER_SIZE`, and the two octets that may begin the end of a section.
    private static let blockBytes = 302

    /// Bytes that were pushed but not parsed, as a tag or the like is incomplete.
    private var pendingBytes: Int {
        guard let input = handle.pointee.input?.pointee else { return 0 }
        return input.end - input.cur
    }

    private var line: Int {
        firstLine - 1 + Int(handle.pointee.input.map { $0.pointee.line } ?? 1)
    }

    /// The one place where libxml2 reports a failure by a status only.
    private func check(_ status: Int32) {
        guard status != 0, failure == nil, handle.pointee.wellFormed == 0 else { return }
        fail(.malformed("error \(status)"))
    }

    // MARK: Reports of the callbacks

    func fail(_ reason: XMLError.Reason, line: Int? = nil) {
        guard failure == nil else { return }
        failure = XMLError(line: line ?? self.line, reason)
        xmlStopParser(handle)
    }

    /// The beginning of a DOCTYPE. Its declarations, if any, come next.
    func beganDoctype() {
        if handle.pointee.input?.pointee.cur.pointee == UInt8(ascii: "[") { fail(.declarations) }
    }

    func began(_ name: XMLName, _ attributes: [XMLAttribute]) {
        flushText()
        isAfterReturn = false
        guard scopes.count < limits.depth else { return fail(.tooDeep(limit: limits.depth)) }
        var scope = scopes.last ?? (nil, nil)
        for attribute in attributes where attribute.name.namespace == XMLName.xmlNamespace {
            switch attribute.name.local {
            case "lang": scope.language = attribute.value.isEmpty ? nil : attribute.value
            case "base":
                scope.base =
                    scope.base.flatMap { Reference.resolve(attribute.value, against: $0) }
                    ?? attribute.value
            default: break
            }
        }
        scopes.append(scope)
        hasRoot = true
        let element = XMLElement(
            name, attributes, language: scope.language, base: scope.base)
        queue.append((.start(element), line))
    }

    func ended(_ name: XMLName) {
        flushText()
        isAfterReturn = false
        _ = scopes.popLast()
        queue.append((.end(name), line))
    }

    func found(text bytes: UnsafeBufferPointer<UInt8>) {
        isAfterReturn = false
        text.append(contentsOf: bytes)
        if text.count >= limits.pieceBytes { flushText() }
    }

    /// libxml2 leaves line ends of a pushed section as they are (XML 1.0 §2.11).
    func found(section bytes: UnsafeBufferPointer<UInt8>) {
        // Invariant: `isAfterReturn` is true if the previous octet was a carriage return, for which
        // there is a line feed in `text`.
        for byte in bytes {
            if byte != 0x0A || !isAfterReturn { text.append(byte == 0x0D ? 0x0A : byte) }
            isAfterReturn = byte == 0x0D
        }
        if text.count >= limits.pieceBytes { flushText() }
    }

    /// A name within the limit; otherwise the document fails.
    func name(
        _ local: UnsafePointer<xmlChar>?, _ prefix: UnsafePointer<xmlChar>?,
        _ namespace: UnsafePointer<xmlChar>?
    ) -> XMLName? {
        for part in [local, prefix, namespace] {
            if let part, xmlStrlen(part) > limits.nameBytes {
                fail(.nameTooLong(limitBytes: limits.nameBytes))
                return nil
            }
        }
        let text = local.map { String(cString: $0).streamSafe } ?? ""
        if namespace == nil, let prefix {
            return XMLName("\(String(cString: prefix).streamSafe):\(text)")
        }
        return XMLName(text, in: namespace.map { String(cString: $0).streamSafe })
    }

    /// Returns true if an element may have this number of attributes; otherwise the document fails.
    func accepts(attributes: Int32, namespaces: Int32) -> Bool {
        guard max(attributes, namespaces) <= limits.attributes else {
            fail(.tooManyAttributes(limit: limits.attributes))
            return false
        }
        return true
    }

    /// Errors of namespaces leave the prefix in the name; other errors end the document.
    func found(_ error: xmlError) {
        guard error.level.rawValue >= XML_ERR_ERROR.rawValue,
            error.domain != Int32(XML_FROM_NAMESPACE.rawValue)
        else { return }
        let line = error.line > 0 ? firstLine - 1 + Int(error.line) : nil
        let message = error.message.map { String(cString: $0).streamSafe } ?? "unknown error"
        switch xmlParserErrors(UInt32(error.code)) {
        case XML_ERR_NO_MEMORY: fail(.outOfMemory, line: line)
        default:
            let first = message.split(separator: "\n").first.map(String.init) ?? message
            fail(.malformed(first), line: line)
        }
    }

    private func flushText() {
        guard !text.isEmpty else { return }
        queue.append((.text(String(decoding: text, as: UTF8.self).streamSafe), line))
        text.removeAll(keepingCapacity: true)
    }
}
