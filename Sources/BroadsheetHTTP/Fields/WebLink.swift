/// One link of a `Link` field (RFC 8288 §3).
///
/// Its text is a valid field value whatever it was made of.
///
/// ```swift
/// let field = "</v1/articles?cursor=a>; rel=\"next\", </v1>; rel=\"up\""
/// let next = WebLink.links(in: field).first { $0.has(relation: "next") }
/// ```
public struct WebLink: Sendable, Hashable {
    /// A percent-encoded URI reference, unchanged.
    public let target: String
    /// One relation type, or several separated by spaces.
    public let relation: String
    /// A hint of the target's media type; `nil` without one.
    public let mediaType: String?

    /// Creates a link to an encoded URI reference; `nil` if it, the relation or the media type
    /// contains invalid octets.
    public init?(target: String, relation: String, mediaType: String? = nil) {
        guard target.utf8.allSatisfy(Self.isTargetOctet),
            relation.utf8.contains(where: { $0 != 0x20 }),
            relation.utf8.allSatisfy({ Self.isTargetOctet($0) || $0 == 0x20 }),
            mediaType?.utf8.allSatisfy(Self.isTargetOctet) ?? true
        else { return nil }
        self.target = target
        self.relation = relation
        self.mediaType = mediaType
    }

    /// Visible ASCII without quotes, backslashes and angle brackets.
    private static func isTargetOctet(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x22, 0x3C, 0x3E, 0x5C: false
        default: byte > 0x20 && byte < 0x7F
        }
    }

    /// Returns true if this is one of the link's relation types, ignoring case (RFC 8288 §3.3).
    public func has(relation name: String) -> Bool {
        relation.split(separator: " ").contains { $0.lowercased() == name.lowercased() }
    }

    /// Parses the links of a field value. Links that are invalid, have no relation, or describe
    /// another resource (`anchor`) are skipped.
    public static func links(in text: String) -> [WebLink] {
        var links: [WebLink] = []
        var reader = FieldValueReader(text)
        reader.skipEmptyElements()
        while !reader.isAtEnd {
            let link = link(&reader)
            if reader.skipSeparators() {
                if let link { links.append(link) }
            } else {
                reader.skipElement()
                reader.skipEmptyElements()
            }
        }
        return links
    }

    private static func link(_ reader: inout FieldValueReader) -> WebLink? {
        guard reader.take("<"), let target = reader.text(until: ">"),
            let parameters = reader.parameters(allowsBare: true),
            // If a parameter is repeated, the first one counts.
            let relation = parameters.first(where: { $0.name == "rel" }),
            !parameters.contains(where: { $0.name == "anchor" })
        else { return nil }
        let mediaType = parameters.first { $0.name == "type" }?.value
        return WebLink(target: target, relation: relation.value, mediaType: mediaType)
            ?? WebLink(target: target, relation: relation.value)
    }
}

extension WebLink: CustomStringConvertible {
    /// The link as a field value.
    public var description: String {
        let link = "<\(target)>; rel=\"\(relation)\""
        return mediaType.map { "\(link); type=\"\($0)\"" } ?? link
    }
}
