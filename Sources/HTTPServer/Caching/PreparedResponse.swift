public import HTTP

/// An answer whose octets are ready, but for those that are new each time (`Date`, the request's
/// id). A class: it is passed on by one reference.
final class PreparedResponse: Sendable {
    let response: HTTPResponse
    /// The route that made it, for logs.
    let template: String
    /// Status line and fields, without the empty line.
    let head: [UInt8]
    let body: [UInt8]
    /// Where the head tells caches that the answer is `public`, which it is not for a reader with
    /// credentials; `nil`: it does not.
    let publicWord: Range<Int>?

    /// What the head has beside the response's own fields, about: the status line, protective
    /// fields and the length.
    static let addedHeadBytes = 256

    /// - Parameter response: of bytes, or without a body.
    init(_ response: HTTPResponse, template: String) {
        self.response = response
        self.template = template
        if case .bytes(let bytes) = response.body { body = bytes } else { body = [] }
        var head: [UInt8] = []
        var fields = response.fields
        SecurityHeaders.add(to: &fields, of: response.status)
        ResponseSerializer.appendConstant(
            status: response.status, fields: fields,
            framing: response.status.forbidsBody ? .none : .length(body.count), to: &head)
        self.head = head
        publicWord = Self.publicWord(of: fields, in: head)
    }

    private static func publicWord(of fields: HTTPFields, in head: [UInt8]) -> Range<Int>? {
        guard let value = fields.valuePlace(of: .cacheControl),
            fields.wireBytes[value].starts(with: word),
            let statusLineEnd = head.firstIndex(of: UInt8(ascii: "\n"))
        else { return nil }
        let start = statusLineEnd + 1 + value.lowerBound
        return start..<start + word.count
    }

    private static let word = Array("public".utf8)
}

extension HTTPResponse {
    /// The same response for one reader alone: `private`, where shared caches may keep it otherwise
    /// (RFC 9111 §5.2.2.7).
    public func madePrivate() -> HTTPResponse {
        guard let directives = fields[.cacheControl], directives.hasPrefix("public") else {
            return self
        }
        var response = self
        response.fields[.cacheControl] = "private" + directives.dropFirst("public".count)
        return response
    }
}
