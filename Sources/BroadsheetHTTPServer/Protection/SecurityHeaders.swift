import BroadsheetHTTP

/// Fields that make browsers treat responses safely.
enum SecurityHeaders {
    /// In every response that can have a body: browsers do not guess its type (Fetch §3.6) and send
    /// no referrer to its links (Referrer Policy §3.1).
    private static let always: HTTPFields = [
        .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
    ]

    /// A page may not load, run or send anything, and may not be framed (CSP 3).
    private static let page =
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

    /// Adds the fields to a response. A page with its own policy keeps that.
    static func add(to fields: inout HTTPFields, of status: HTTPStatus) {
        guard !status.forbidsBody else { return }
        fields.append(contentsOf: always)
        if isPage(fields), !fields.contains(.contentSecurityPolicy) {
            fields.append(.contentSecurityPolicy, page)
        }
    }

    /// Returns true if a browser would show the response as a document that can run scripts: HTML,
    /// XHTML, SVG.
    private static func isPage(_ fields: borrowing HTTPFields) -> Bool {
        // Nearly all responses are JSON, which is recognised without creating a string.
        let mayBe =
            fields.withBytes(of: .contentType) { bytes in
                bytes.count > 5 && (bytes[0] | 0x20 == UInt8(ascii: "t"))
                    || bytes.count > 8 && (bytes[0] | 0x20 == UInt8(ascii: "i"))
                    || bytes.count > 12 && (bytes[12] | 0x20 == UInt8(ascii: "x"))
            } ?? false
        guard mayBe, let type = fields[.contentType].flatMap({ MediaType($0) }) else {
            return false
        }
        return ["text/html", "application/xhtml+xml", "image/svg+xml"].contains(where: type.is)
    }
}
