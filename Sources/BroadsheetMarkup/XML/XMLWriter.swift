import CBroadsheetXML

/// Writes one XML 1.0 document, or a part of one, in UTF-8 (libxml2's `xmlTextWriter`).
///
/// Text and attributes may contain any character: those that XML forbids are left out. Names are
/// those of the program. A handle with one owner; use it on one thread at a time.
///
/// ```swift
/// var writer = XMLWriter()
/// writer.element("title", "Salt & pepper", [("type", "text")])
/// let bytes = try writer.finish()
/// ```
package struct XMLWriter: ~Copyable {
    private let writer: xmlTextWriterPtr?
    private let buffer: xmlBufferPtr?
    private let isDocument: Bool
    private var hasFailed = false

    /// - Parameter isDocument: True if it begins with the XML declaration.
    package init(isDocument: Bool = true) {
        self.isDocument = isDocument
        LibXML.initialize()
        buffer = xmlBufferCreate()
        writer = buffer.flatMap { xmlNewTextWriterMemory($0, 0) }
        check(writer == nil ? -1 : 0)
        if isDocument { check(xmlTextWriterStartDocument(writer, "1.0", "UTF-8", nil)) }
    }

    deinit {
        xmlFreeTextWriter(writer)
        xmlBufferFree(buffer)
    }

    /// An element with this text.
    package mutating func element(
        _ name: String, _ text: String, _ attributes: [(String, String)] = []
    ) {
        start(name, attributes)
        self.text(text)
        end()
    }

    /// Writes an element with the content that `content` writes.
    package mutating func element(
        _ name: String, _ attributes: [(String, String)] = [],
        _ content: @Sendable (inout XMLWriter) -> Void
    ) {
        start(name, attributes)
        content(&self)
        end()
    }

    /// An element without content.
    package mutating func empty(_ name: String, _ attributes: [(String, String)]) {
        start(name, attributes)
        end()
    }

    package mutating func start(_ name: String, _ attributes: [(String, String)] = []) {
        check(xmlTextWriterStartElement(writer, name))
        for (name, value) in attributes {
            check(
                xmlTextWriterWriteAttribute(writer, name, XMLCharacters.allowed(in: value)))
        }
    }

    package mutating func text(_ text: String) {
        let allowed = XMLCharacters.allowed(in: text)
        guard !allowed.isEmpty else { return }
        check(xmlTextWriterWriteString(writer, allowed))
    }

    /// Ends the innermost element.
    ///
    /// - Parameter isExplicit: True if even an empty element has an end tag, which HTML requires of
    ///   most elements.
    package mutating func end(isExplicit: Bool = false) {
        check(
            isExplicit ? xmlTextWriterFullEndElement(writer) : xmlTextWriterEndElement(writer))
    }

    /// Returns the bytes written. The elements of a document that are still open are ended.
    package consuming func finish() throws(XMLWriterError) -> [UInt8] {
        if isDocument { check(xmlTextWriterEndDocument(writer)) }
        check(xmlTextWriterFlush(writer))
        guard !hasFailed, let bytes = xmlBufferContent(buffer) else { throw XMLWriterError() }
        return Array(UnsafeBufferPointer(start: bytes, count: Int(xmlBufferLength(buffer))))
    }

    /// Keeps whether a call has failed: all of `xmlTextWriter` returns -1 then.
    private mutating func check(_ result: Int32) {
        if result < 0 { hasFailed = true }
    }
}

/// libxml2 ran out of memory, or was given an invalid name. See ``XMLWriter``.
package struct XMLWriterError: Error, Sendable, Hashable, CustomStringConvertible {
    package init() {}

    package var description: String { "libxml2 could not write the document" }
}
