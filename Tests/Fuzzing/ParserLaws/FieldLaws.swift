import BroadsheetHTTP

/// The value of a field, parsed as each kind that the server reads; printed values can be parsed
/// again.
enum FieldLaws {
    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let text = String(decoding: input, as: UTF8.self)
        if let tag = EntityTag(text) {
            laws.expect(EntityTag(tag.description) == tag, "an entity tag can be parsed again")
        }
        if let condition = TagCondition(text) {
            laws.expect(TagCondition(condition.description) == condition, "so is a list of them")
        }
        if let seconds = HTTPDate.seconds(text) {
            laws.expect(
                HTTPDate.seconds(HTTPDate.text(seconds)) == seconds, "a date can be parsed again")
        }
        if let type = MediaType(text) {
            laws.expect(MediaType(type.description) == type, "a media type can be parsed again")
            _ = type.isAccepted(by: text)
        }
        for link in WebLink.links(in: text) {
            laws.expect(WebLink.links(in: link.description) == [link], "a link can be parsed again")
        }
        if let authority = Authority(input) {
            laws.expect(!authority.host.isEmpty, "an authority has a host")
        }
        if let name = HTTPFieldName(text) { checkField(name, text, &laws) }
        checkField(.acceptEncoding, text, &laws)
        let fields: HTTPFields = [.forwarded: text, .xForwardedFor: text]
        let nodes =
            (ForwardedNodes.forwarded(fields) ?? []) + (ForwardedNodes.xForwardedFor(fields) ?? [])
        for node in nodes.compactMap({ $0 }) {
            laws.expect((1...45).contains(node.host.utf8.count), "a node is an address")
        }
        return laws.broken
    }

    /// An accepted field is a single line, and no part of it becomes another field.
    private static func checkField(
        _ name: HTTPFieldName, _ value: String, _ laws: inout ViolationCollector
    ) {
        var fields = HTTPFields()
        guard fields.append(name, value) else { return }
        laws.expect(fields.wireBytes.count { $0 == 0x0A } == 1, "a field is one line")
        laws.expect(fields.wireBytes.count { $0 == 0x0D } == 1, "a field is one line")
        laws.expect(fields.count == 1, "a field is one field")
        _ = AcceptEncoding(fields).prefersGzip
    }
}
