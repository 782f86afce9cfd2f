package import ArticleAPI

/// The keys of filters, which have a letter for the kind of their value. See ``SearchFilter``.
extension TermKey {
    /// An article with this tag.
    package static func tag(_ key: String) -> TermKey { filter("t", key.utf8) }

    /// An article by this author.
    package static func author(_ id: Author.ID) -> TermKey {
        let bytes = [id.high, id.low].flatMap { half in
            withUnsafeBytes(of: half.bigEndian) { Array($0) }
        }
        return filter("a", bytes)
    }

    /// An article in this language.
    package static func language(_ tag: String) -> TermKey { filter("l", tag.utf8) }

    /// An article from the source of this name.
    package static func source(_ name: String) -> TermKey { filter("s", name.utf8) }

    private static func filter(_ kind: Unicode.Scalar, _ value: some Sequence<UInt8>) -> TermKey {
        TermKey(.filter, [UInt8(ascii: kind)] + value)
    }
}
