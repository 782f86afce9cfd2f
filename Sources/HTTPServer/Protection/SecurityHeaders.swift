import HTTP

/// Fields that keep browsers from making more of an answer than it is.
enum SecurityHeaders {
    /// In every answer that can have a body: its type is the one that it says (Fetch §3.6), and
    /// what it links to is not told where the reader came from (Referrer Policy §3.1).
    private static let always: HTTPFields = [
        .xContentTypeOptions: "nosniff", .referrerPolicy: "no-referrer",
    ]

    /// A page may load nothing, run nothing, send nothing, and stand in no other page (CSP 3).
    private static let page =
        "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; sandbox"

    /// Adds them to an answer's fields. A page with a policy of its own keeps that.
    static func add(to fields: inout HTTPFields, of status: HTTPStatus) {
        guard !status.forbidsBody else { return }
        fields.append(contentsOf: always)
        if isPage(fields), !fields.contains(.contentSecurityPolicy) {
            fields.append(.contentSecurityPolicy, page)
        }
    }

    /// Whether a browser would show it as a document that can have scripts: HTML, XHTML, SVG.
    private static func isPage(_ fields: borrowing HTTPFields) -> Bool {
        // Nearly all answers are JSON: that is told without making text of it.
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
