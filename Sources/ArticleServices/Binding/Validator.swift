import ArticleStore
import HTTP

/// Validators of representations: `"<version><hash>"`, where `If-Match` only compares the version
/// (which is also accepted alone) and `If-None-Match` all of it; `"<hash>"` if there is no version.
enum Validator {
    /// A strong entity tag of a representation's bytes and the name of its renderer: 64 bits of
    /// SHA-256 in hexadecimal.
    static func tag(version: String?, of bytes: [UInt8], renderer: String? = nil) -> EntityTag {
        let hashed = renderer.map { bytes + $0.utf8 } ?? bytes
        let hash = ByteText.hexadecimal(Digest.sha256(hashed).prefix(8))
        guard let tag = EntityTag(value: (version ?? "") + hash) else {
            preconditionFailure("programmer error: letters, digits and a dash are an entity tag")
        }
        return tag
    }

    /// Whether a tag in `If-Match` matches this representation (RFC 9110 §13.1.1): it must have the
    /// same version or, without versions, be identical.
    static func isMatched(by tag: EntityTag, version: String?, _ etag: EntityTag) -> Bool {
        guard let version else { return tag.stronglyMatches(etag) || isCompressed(tag, etag) }
        return self.version(in: tag) == version
    }

    /// Whether a tag names the compressed form (`ResponseCache`) of the other tag's representation.
    private static func isCompressed(_ tag: EntityTag, _ etag: EntityTag) -> Bool {
        !tag.isWeak && !etag.isWeak && tag.value == etag.value + "-gzip"
    }

    /// The version at the beginning of a strong tag; `nil` for a tag that this backend cannot have
    /// created.
    static func version(in tag: EntityTag) -> String? {
        guard !tag.isWeak, let dash = tag.value.utf8.firstIndex(of: UInt8(ascii: "-")),
            let end = tag.value.utf8.index(
                dash, offsetBy: 1 + Epoch.markLength, limitedBy: tag.value.utf8.endIndex)
        else { return nil }
        return String(tag.value[..<end])
    }
}
