import BroadsheetHTTP
import CBroadsheetXML

/// libxml2's global state, which is prepared once.
enum LibXML {
    /// Nothing is ever loaded from files or the network, whichever parser asks for it, and nothing
    /// is written to stderr.
    private static let isInitialized: Bool = {
        xmlInitParser()
        broadsheet_xml_silence()
        xmlSetExternalEntityLoader { _, _, _ in nil }
        return true
    }()

    /// Safe to call from any thread, any number of times.
    static func initialize() { _ = isInitialized }
}

/// The functions that libxml2 calls for the parts of a document (SAX2): each finds the `XMLParser`
/// in the user data, and passes on values.
enum XMLCallbacks {
    static var handler: xmlSAXHandler {
        var handler = xmlSAXHandler()
        handler.initialized = UInt32(XML_SAX2_MAGIC)
        handler.serror = { data, error in
            guard let error else { return }
            parser(data)?.found(error.pointee)
        }
        handler.internalSubset = { data, _, _, _ in parser(data)?.beganDoctype() }
        handler.startElementNs = { data, local, prefix, uri, spaces, _, count, _, values in
            began(data, local, prefix, uri, namespaces: spaces, attributes: count, values)
        }
        handler.endElementNs = { data, local, prefix, uri in
            guard let parser = parser(data), let name = parser.name(local, prefix, uri) else {
                return
            }
            parser.ended(name)
        }
        handler.characters = { data, bytes, count in
            parser(data)?.found(text: UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
        handler.ignorableWhitespace = handler.characters
        handler.cdataBlock = { data, bytes, count in
            parser(data)?.found(section: UnsafeBufferPointer(start: bytes, count: Int(count)))
        }
        // `XMLRepair` has left out declarations. If one is found nevertheless, the document ends.
        handler.entityDecl = { data, _, _, _, _, _ in parser(data)?.fail(.declarations) }
        handler.elementDecl = { data, _, _, _ in parser(data)?.fail(.declarations) }
        handler.attributeDecl = { data, _, _, _, _, _, _ in parser(data)?.fail(.declarations) }
        return handler
    }
}

private func parser(_ data: UnsafeMutableRawPointer?) -> XMLParser? {
    data.map { Unmanaged<XMLParser>.fromOpaque($0).takeUnretainedValue() }
}

private func began(
    _ data: UnsafeMutableRawPointer?, _ local: UnsafePointer<xmlChar>?,
    _ prefix: UnsafePointer<xmlChar>?, _ uri: UnsafePointer<xmlChar>?, namespaces: Int32,
    attributes count: Int32, _ values: UnsafeMutablePointer<UnsafePointer<xmlChar>?>?
) {
    guard let parser = parser(data), let name = parser.name(local, prefix, uri),
        parser.accepts(attributes: count, namespaces: namespaces)
    else { return }
    var attributes: [XMLAttribute] = []
    // Five pointers for each attribute: local part, prefix, namespace, the value's start and
    // end (`startElementNsSAX2Func`).
    for index in 0..<Int(count) {
        guard let values = values.map({ $0 + 5 * index }),
            let name = parser.name(values[0], values[1], values[2])
        else { return }
        var value = ""
        if let start = values[3], let end = values[4] {
            let bytes = UnsafeBufferPointer(start: start, count: end - start)
            // libxml2 leaves ampersands as references, and nothing else.
            value = String(decoding: bytes, as: UTF8.self).streamSafe
                .replacing(bytesOf: "&#38;", with: "&")
        }
        attributes.append(XMLAttribute(name, value))
    }
    parser.began(name, attributes)
}
