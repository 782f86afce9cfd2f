import CBroadsheetXML

/// Limits of the HTML that is read.
package struct HTMLLimits: Sendable, Hashable {
    /// Maximum size of the HTML in UTF-8.
    package var inputBytes: Int
    /// Maximum size of the Markdown in UTF-8.
    package var outputBytes = 4 << 20
    /// Maximum number of elements.
    package var elements = 200_000

    package init(inputBytes: Int = 4 << 20) { self.inputBytes = inputBytes }
}

/// The reason why HTML could not be read.
package enum HTMLError: Error, Sendable, Hashable, CustomStringConvertible {
    case inputTooLarge(limitBytes: Int)
    case outputTooLarge(limitBytes: Int)
    case tooManyElements(limit: Int)
    case tooManyAttributes
    case tooManyUnfinishedTags
    case outOfMemory
    case outOfTime

    /// A phrase about the HTML.
    package var description: String {
        switch self {
        case .inputTooLarge(let limit): "it is larger than \(limit) bytes"
        case .outputTooLarge(let limit): "it is larger than \(limit) bytes as Markdown"
        case .tooManyElements(let limit): "it has more than \(limit) elements"
        case .tooManyAttributes: "an element has too many attributes"
        case .tooManyUnfinishedTags: "it has too many tags that do not end"
        case .outOfMemory: "there is not enough memory to read it"
        case .outOfTime: ReadingTime.phrase
        }
    }
}

/// The owner of a tree that libxml2 reads from HTML of any quality (`htmlParseChunk`).
final class HTMLDocument {
    /// True if elements were nested more deeply than libxml2 reads (256), so that the rest is lost.
    let isCutOff: Bool
    private let handle: htmlParserCtxtPtr

    /// Counts elements for the callback, which finds it in the parser's `_private`.
    private final class Counter {
        var left: Int

        init(_ left: Int) { self.left = left }
    }

    private static let chunkBytes = 16 << 10
    /// The size of an unfinished tag from which on its attributes are counted: libxml2 compares
    /// each with all others.
    private static let uncheckedTagBytes = 64 << 10
    private static let limitAttributes = 5_000
    /// Returns the number of bytes that libxml2 may look through for the ends of tags in one
    /// document. In HTML without unfinished tags, it looks at no byte twice.
    private static func lookedThroughLimit(_ count: Int) -> Int {
        min(max(2_000_000, 100 * count), 100_000_000)
    }

    init(_ html: String, limits: HTMLLimits) throws(HTMLError) {
        guard html.utf8.count <= limits.inputBytes else {
            throw .inputTooLarge(limitBytes: limits.inputBytes)
        }
        LibXML.initialize()
        let bytes = HTMLNormalizer.normalized(Array(XMLCharacters.allowed(in: html).utf8))
        guard Self.hasFewUnfinishedTags(bytes) else { throw .tooManyUnfinishedTags }
        guard let handle = Self.parser() else { throw .outOfMemory }
        let counter = Counter(limits.elements)
        handle.pointee._private = Unmanaged.passUnretained(counter).toOpaque()
        let hasFewAttributes = withExtendedLifetime(counter) {
            Self.push(bytes, to: handle)
        }
        let code = handle.pointee.lastError.code
        isCutOff =
            handle.pointee.instate == XML_PARSER_EOF
            && code == Int32(XML_ERR_INTERNAL_ERROR.rawValue)
        self.handle = handle
        guard !ReadingTime.isOver() else { throw .outOfTime }
        guard hasFewAttributes else { throw .tooManyAttributes }
        guard counter.left >= 0 else { throw .tooManyElements(limit: limits.elements) }
        guard code != Int32(XML_ERR_NO_MEMORY.rawValue) else { throw .outOfMemory }
    }

    deinit {
        if let tree = handle.pointee.myDoc { xmlFreeDoc(tree) }
        handle.pointee.myDoc = nil
        htmlFreeParserCtxt(handle)
    }

    /// Lends the root element, if there is one.
    func withRoot<Value>(_ body: (xmlNodePtr) -> Value) -> Value? {
        guard let tree = handle.pointee.myDoc, let root = xmlDocGetRootElement(tree) else {
            return nil
        }
        return body(root)
    }

    private static func parser() -> htmlParserCtxtPtr? {
        var handler = htmlSAXHandler()
        xmlSAX2InitHtmlDefaultSAXHandler(&handler)
        handler.startElement = { data, name, attributes in
            guard let data else { return }
            let handle = data.assumingMemoryBound(to: xmlParserCtxt.self)
            guard let found = handle.pointee._private else { return }
            let counter = Unmanaged<Counter>.fromOpaque(found).takeUnretainedValue()
            counter.left -= 1
            if counter.left < 0 {
                xmlStopParser(handle)
            } else {
                xmlSAX2StartElement(data, name, attributes)
            }
        }
        // Without user data, the functions are given the parser itself.
        let encoding = XML_CHAR_ENCODING_UTF8
        guard let handle = htmlCreatePushParserCtxt(&handler, nil, nil, 0, nil, encoding) else {
            return nil
        }
        let options = [
            HTML_PARSE_RECOVER, HTML_PARSE_NOERROR, HTML_PARSE_NOWARNING, HTML_PARSE_NONET,
            HTML_PARSE_IGNORE_ENC,
        ]
        htmlCtxtUseOptions(handle, Int32(options.reduce(0) { $0 | $1.rawValue }))
        return handle
    }

    /// Parses the bytes in parts.
    ///
    /// - Returns: True if no tag has too many attributes.
    private static func push(_ bytes: [UInt8], to handle: htmlParserCtxtPtr) -> Bool {
        bytes.withUnsafeBufferPointer { bytes in
            var start = 0
            // Invariant: bytes[..<start] are parsed, but for an unfinished tag or the like.
            while start < bytes.count, handle.pointee.instate != XML_PARSER_EOF,
                !ReadingTime.isOver()
            {
                // libxml2 does not find the end of a tag that it received in the middle of a quoted
                // value, and buffers the rest: a part ends with a tag, if it has one.
                let window = bytes[start..<min(start + chunkBytes, bytes.count)]
                let count =
                    (window.lastIndex(of: UInt8(ascii: ">")).map { $0 + 1 }
                        ?? window.endIndex) - start
                let part = UnsafeRawPointer(bytes.baseAddress.unsafelyUnwrapped + start)
                htmlParseChunk(
                    handle, part.assumingMemoryBound(to: CChar.self), Int32(count), 0)
                start += count
                guard hasFewAttributes(handle) else { return false }
            }
            htmlParseChunk(handle, nil, 0, 1)
            return true
        }
    }

    /// Returns true if libxml2 finds the ends of end tags and processing instructions in reasonable
    /// time: for each, it looks through the input up to the next `>`, wherever that is.
    private static func hasFewUnfinishedTags(_ bytes: [UInt8]) -> Bool {
        let limit = lookedThroughLimit(bytes.count)
        var lookedThrough = 0
        var end = bytes.count
        var next: UInt8 = 0
        // Invariant: `end` is the next `>` after `index`, and `next` is the byte after it.
        for index in bytes.indices.reversed() {
            let byte = bytes[index]
            if byte == UInt8(ascii: ">") {
                end = index
            } else if byte == UInt8(ascii: "<"),
                next == UInt8(ascii: "/") || next == UInt8(ascii: "?")
            {
                lookedThrough += end - index
                if lookedThrough > limit { return false }
            }
            next = byte
        }
        return true
    }

    private static func hasFewAttributes(_ handle: htmlParserCtxtPtr) -> Bool {
        guard let input = handle.pointee.input?.pointee, let start = input.cur,
            input.end - start > uncheckedTagBytes, start.pointee == UInt8(ascii: "<")
        else { return true }
        let tag = UnsafeBufferPointer(start: start, count: input.end - start)
        // Attributes are separated by white space, or by the quotes of their values.
        let separators = tag.count { $0 <= 0x20 || $0 == 0x22 || $0 == 0x27 }
        return separators / 3 <= limitAttributes
    }
}
