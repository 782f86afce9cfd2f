import ArticleAPI
import ArticleServiceCore
import BroadsheetHTTP

/// The message with some changes that a receiver gets.
struct WebhookBatch {
    /// `{"changes": […], "since": "<token>", "next": "<token>"}`: a page of the public's and the
    /// token that it was read from; with `"reset": true` if changes before these were skipped.
    ///
    /// The position of a receiver is in the database, which may be set back. By `since`, the
    /// receiver notices that it has had other changes after it.
    let body: [UInt8]

    init(_ page: ChangePage<Article>, since token: String, isReset: Bool) {
        let encoding = SyncChange<Article>.encoding
        var body = Array(#"{"changes":["#.utf8)
        for (index, change) in page.changes.enumerated() {
            if index > 0 { body.append(UInt8(ascii: ",")) }
            body += encoding.write(change)
        }
        // Tokens have no characters that JSON escapes.
        body += #"],"since":"\#(token)","next":"\#(page.next)""#.utf8
        if isReset { body += #","reset":true"#.utf8 }
        body.append(UInt8(ascii: "}"))
        self.body = body
    }

    /// The fields of the request. It is signed in two ways: as Broadsheet's receivers know it, and
    /// as Standard Webhooks (version 1.0.0) has it, for its libraries.
    package func fields(at time: Timestamp, signedWith secret: SharedSecret, agent: String)
        -> HTTPFields
    {
        var fields: HTTPFields = [.contentType: "application/json", .userAgent: agent]
        let seconds = "\(time.milliseconds / 1_000)"
        for (name, value) in [
            ("Broadsheet-Signature", signature(at: seconds, with: secret)),
            ("webhook-id", id), ("webhook-timestamp", seconds),
            ("webhook-signature", standardSignature(at: seconds, with: secret)),
        ] {
            if let name = HTTPFieldName(name) { fields.append(name, value) }
        }
        return fields
    }

    /// The id of the batch, the same for the same changes, however often they are sent: receivers
    /// may ignore batches that they have had. A retry with other changes has another one, or these
    /// would be ignored.
    private var id: String { "msg_" + ByteText.base64URL(Array(Digest.sha256(body).prefix(18))) }

    /// `t=<seconds since 1970>,v1=<HMAC-SHA-256 of the seconds, a dot and the body>`.
    private func signature(at seconds: String, with secret: SharedSecret) -> String {
        let code = Digest.hmac(Array("\(seconds).".utf8) + body, key: secret.bytes)
        return "t=\(seconds),v1=\(ByteText.hexadecimal(code))"
    }

    /// `v1,<HMAC-SHA-256 of the id, the seconds and the body with dots between them>`.
    private func standardSignature(at seconds: String, with secret: SharedSecret) -> String {
        let code = Digest.hmac(
            Array("\(id).\(seconds).".utf8) + body, key: secret.standardWebhooksKey)
        return "v1,\(ByteText.base64(code))"
    }
}
