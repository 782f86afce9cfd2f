/// One link of a `Link` field (RFC 8288 §3).
public struct Link: Sendable, Hashable {
    public let target: String
    public let relation: String

    /// A link to an encoded URI reference; `nil` if it or the relation has octets that cannot
    /// stand.
    public init?(target: String, relation: String) {
        guard target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != 0x3C && $0 != 0x3E }),
            !relation.isEmpty, relation.utf8.allSatisfy({ Token.contains($0) || $0 == 0x20 })
        else { return nil }
        self.target = target
        self.relation = relation
    }

    /// The links in a field's value; what is no link is left out.
    public static func links(in text: String) -> [Link] {
        var links: [Link] = []
        var rest = text[...]
        while let open = rest.firstIndex(of: "<"),
            let close = rest[open...].firstIndex(of: ">")
        {
            let target = String(rest[rest.index(after: open)..<close])
            let after = rest[rest.index(after: close)...]
            let end = after.firstIndex(of: "<") ?? after.endIndex
            for parameter in after[..<end].split(whereSeparator: { $0 == ";" || $0 == "," }) {
                let halves = parameter.split(separator: "=", maxSplits: 1).map {
                    String($0).trimmed
                }
                guard halves.count == 2, halves[0].lowercased() == "rel" else { continue }
                let relation = halves[1].filter { $0 != "\"" }
                if let link = Link(target: target, relation: relation) { links.append(link) }
            }
            rest = after[end...]
        }
        return links
    }
}

extension Link: CustomStringConvertible {
    /// As it stands in a field.
    public var description: String { "<\(target)>; rel=\"\(relation)\"" }
}
