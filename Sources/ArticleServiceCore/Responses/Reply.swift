package import ArticleAPI
package import ArticleAdminAPI
import ArticleStore
package import BroadsheetHTTP

/// An item that has revisions.
package protocol Versioned {
    var version: String? { get }
}

extension Article: Versioned {}
extension ArticleComment: Versioned {}
extension Author: Versioned {}
extension ContentSource: Versioned {}

/// The result of a handler: the item and the metadata for its HTTP response.
package struct Reply<Item: Sendable>: Sendable {
    package var item: Item
    /// The requested attributes; `nil` for the default ones.
    package var fields: FieldSelection?
    /// The renderer of a part of the item: another one produces a different response.
    package var renderer: String?
    /// The request that fetches the created resource: results in `Location` and 201.
    package var location: (any BackendAPIRequest)?
    /// The time at which the item last changed; `nil` if this is not disclosed.
    package var changedAt: Timestamp?
    /// The dependencies of a response shared by all anonymous clients; `nil` if it must not be
    /// cached.
    package var dependencies: Dependencies?

    package init(
        _ item: Item, fields: FieldSelection? = nil, renderer: String? = nil,
        location: (any BackendAPIRequest)? = nil, changedAt: Timestamp? = nil,
        dependencies: Dependencies? = nil
    ) {
        self.item = item
        self.fields = fields
        self.renderer = renderer
        self.location = location
        self.changedAt = changedAt
        self.dependencies = dependencies
    }
}

/// Validators of representations: `"<version><hash>"`, where `If-Match` only compares the version
/// (which is also accepted alone) and `If-None-Match` all of it; `"<hash>"` if there is no version.
package enum Validator {
    /// A strong entity tag of a representation's bytes and the name of its renderer: 64 bits of
    /// SHA-256 in hexadecimal.
    package static func tag(version: String?, of bytes: [UInt8], renderer: String? = nil)
        -> EntityTag
    {
        let hashed = renderer.map { bytes + $0.utf8 } ?? bytes
        let hash = ByteText.hexadecimal(Digest.sha256(hashed).prefix(8))
        guard let tag = EntityTag(value: (version ?? "") + hash) else {
            preconditionFailure("programmer error: letters, digits and a dash are an entity tag")
        }
        return tag
    }

    /// Returns true if a tag in `If-Match` matches this representation (RFC 9110 §13.1.1): it must
    /// have the same version or, without versions, be identical.
    package static func isMatched(by tag: EntityTag, version: String?, _ etag: EntityTag) -> Bool {
        guard let version else { return tag.stronglyMatches(etag) || isCompressed(tag, etag) }
        return self.version(in: tag) == version
    }

    /// Returns true if a tag names the compressed form (`ResponseCache`) of the other tag's
    /// representation.
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

extension Precondition {
    /// The precondition of `If-Match` (RFC 9110 §13.1.1); only the version part of a validator is
    /// compared.
    package init(_ condition: IfMatch?) {
        switch condition {
        case nil: self = .anything
        case .any: self = .existing
        case .tags(let tags): self = .versions(Set(tags.compactMap(Validator.version(in:))))
        }
    }
}
