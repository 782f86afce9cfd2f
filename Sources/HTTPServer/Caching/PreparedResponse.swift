public import HTTP

/// A serialized response that only lacks what differs for each request (`Date`, the request ID). It
/// is a class, so that passing it on copies one reference.
final class PreparedResponse: Sendable {
    let response: HTTPResponse
    /// The template of the route that generated it, for logs.
    let template: String
    /// Status line and fields, without the empty line.
    let head: [UInt8]
    let body: [UInt8]
    /// The range of `public` in the head's `Cache-Control`, which is replaced for readers with
    /// credentials; `nil` if it is missing.
    let publicWord: Range<Int>?

    /// The approximate size of what the head has besides the response's own fields: the status
    /// line, security headers and the length.
    static let addedHeadBytes = 256

    /// - Parameter response: A response with bytes or without a body.
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
    /// The same response for a single reader: marked `private` so that shared caches do not store
    /// it (RFC 9111 §5.2.2.7).
    public func madePrivate() -> HTTPResponse {
        guard let directives = fields[.cacheControl], directives.hasPrefix("public") else {
            return self
        }
        var response = self
        response.fields[.cacheControl] = "private" + directives.dropFirst("public".count)
        return response
    }
}
