import HTTP

/// Validators of representations: `"<revision>-<hash>"`, where `If-Match` compares the revision and
/// `If-None-Match` the whole; `"<hash>"` where there is no revision.
enum Validator {
    /// A strong entity tag over a representation's bytes, and the name of what rendered a part of
    /// them: 64 bits of SHA-256 in hexadecimal.
    static func tag(revision: Int?, of bytes: [UInt8], renderer: String? = nil) -> EntityTag {
        let hashed = renderer.map { bytes + $0.utf8 } ?? bytes
        let hash = ByteText.hexadecimal(Digest.sha256(hashed).prefix(8))
        let value = revision.map { "\($0)-\(hash)" } ?? hash
        guard let tag = EntityTag(value: value) else {
            preconditionFailure("programmer error: digits and a dash are an entity tag")
        }
        return tag
    }

    /// Whether a tag of `If-Match` names this representation (RFC 9110 §13.1.1): one of the same
    /// revision does, or, without revisions, the very same.
    static func isMeant(by tag: EntityTag, revision: Int?, _ etag: EntityTag) -> Bool {
        guard let revision else { return tag.stronglyMatches(etag) || isCompressed(tag, etag) }
        return !tag.isWeak && Self.revision(of: tag) == revision
    }

    /// Whether a tag names the compressed form (`ResponseCache`) of what the other one names.
    private static func isCompressed(_ tag: EntityTag, _ etag: EntityTag) -> Bool {
        !tag.isWeak && !etag.isWeak && tag.value == etag.value + "-gzip"
    }

    /// The revision in a tag that this backend made; `nil` for any other.
    static func revision(of tag: EntityTag) -> Int? {
        guard let dash = tag.value.firstIndex(of: "-") else { return nil }
        return Int(tag.value[..<dash])
    }
}
