import ArticleAPI
import HTTP

/// The message with some changes that a receiver gets.
struct WebhookBatch {
    /// `{"changes": […], "next": "<token>"}`, as in the public's pages; with `"reset": true` if
    /// changes before these were skipped.
    let body: [UInt8]

    init(_ page: ChangePage<Article>, isReset: Bool) {
        let encoding = SyncChange<Article>.encoding
        var body = Array(#"{"changes":["#.utf8)
        for (index, change) in page.changes.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += encoding.write(change)
        }
        // A token has no characters that JSON escapes.
        body += #"],"next":"\#(page.next)""#.utf8
        if isReset { body += #","reset":true"#.utf8 }
        body.append(UInt8(ascii: "}"))
        self.body = body
    }

    /// The fields of the request.
    func fields(at time: Timestamp, signedWith secret: SharedSecret, agent: String) -> HTTPFields {
        var fields: HTTPFields = [.contentType: "application/json", .userAgent: agent]
        if let name = Self.signatureName {
            fields.append(name, signature(at: time, with: secret))
        }
        return fields
    }

    private static let signatureName = HTTPFieldName("Broadsheet-Signature")

    /// `t=<seconds since 1970>,v1=<HMAC-SHA-256 of the seconds, a dot and the body>`.
    private func signature(at time: Timestamp, with secret: SharedSecret) -> String {
        let seconds = "\(time.milliseconds / 1_000)"
        let code = Digest.hmac(Array("\(seconds).".utf8) + body, key: secret.bytes)
        return "t=\(seconds),v1=\(ByteText.hexadecimal(code))"
    }
}
