/// A secret that the operator chose, and that others know too: 32 to 200 printable ASCII
/// characters without spaces.
public struct SharedSecret: Sendable {
    package let bytes: [UInt8]

    public init?(_ text: String) {
        guard (32...200).contains(text.utf8.count),
            text.utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return nil }
        bytes = Array(text.utf8)
    }

    /// The key that Standard Webhooks' libraries use: the base64 after `whsec_`, or else the bytes
    /// of the text.
    package var standardWebhooksKey: [UInt8] {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("whsec_"), let key = ByteText.bytes(base64: String(text.dropFirst(6)))
        else { return bytes }
        return key
    }
}
