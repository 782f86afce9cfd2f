package import ArticleAPI
package import ArticleStore

/// The position in a list that a cursor encodes.
package protocol CursorPosition: Sendable {
    var cursorBytes: [UInt8] { get }
    init?(cursorBytes: [UInt8])
}

/// Encodes and decodes cursors, which are sealed and bound to their list.
///
/// A cursor is the base64url encoding of the position's bytes, sealed for the list's name (its
/// filters, order and audience). The cursor of a page that ended at the scan limit may refer to a
/// row that its reader must not see. Sealing hides it, including its length, as all cursors of a
/// kind have the same length.
public struct CursorSealer: Sendable {
    private let seal: Seal

    /// Creates a sealer with a secret of at least 32 bytes (`ArticleStore.secret(named:)`).
    public init(secret: [UInt8]) { seal = Seal(secret: secret) }

    /// The cursor for a position in the list that `list` describes.
    package func seal(_ position: some CursorPosition, in list: String) -> String {
        ByteText.base64URL(seal.seal(position.cursorBytes, for: list))
    }

    /// The position in the list. Throws `.invalid` if this sealer did not create the cursor for
    /// this list.
    package func open<Position: CursorPosition>(
        _ cursor: String, in list: String
    ) throws(ServiceError) -> Position {
        guard let sealed = ByteText.bytes(base64URL: cursor),
            let bytes = seal.open(sealed, for: list), let position = Position(cursorBytes: bytes)
        else { throw Self.invalid }
        return position
    }

    /// Returns the page of a list that a request asks for.
    ///
    /// - Parameters:
    ///   - list: describes the list; it must differ between lists, and between audiences that see
    ///     different items.
    ///   - cursor: the position of the page; `nil` for the beginning of the list.
    ///   - slice: reads the items after a position from the store.
    package func page<Item, Position: CursorPosition>(
        of list: String, from cursor: String?,
        _ slice: (Position?) async throws -> Slice<Item, Position>
    ) async throws(ServiceError) -> Page<Item> {
        let position: Position? = if let cursor { try open(cursor, in: list) } else { nil }
        do {
            let slice = try await slice(position)
            return Page(
                items: slice.items, next: slice.next.map { seal($0, in: list) }, count: slice.count)
        } catch { throw ServiceError(error) }
    }

    private static let invalid = ServiceError.badParameter(
        "cursor", "is not a valid cursor for this list; restart without a cursor")
}

extension ArticlePosition: CursorPosition {
    package var cursorBytes: [UInt8] { packed([UInt64(bitPattern: key), id.high, id.low]) }

    package init?(cursorBytes: [UInt8]) {
        guard let words = unpacked(cursorBytes, count: 3),
            let id = Article.ID(high: words[1], low: words[2])
        else { return nil }
        self.init(key: Int64(bitPattern: words[0]), id: id)
    }
}

extension CommentPosition: CursorPosition {
    package var cursorBytes: [UInt8] {
        packed([UInt64(bitPattern: createdAt.milliseconds), id.high, id.low])
    }

    package init?(cursorBytes: [UInt8]) {
        guard let words = unpacked(cursorBytes, count: 3),
            let id = ArticleComment.ID(high: words[1], low: words[2])
        else { return nil }
        self.init(createdAt: Timestamp(milliseconds: Int64(bitPattern: words[0])), id: id)
    }
}

extension BookmarkPosition: CursorPosition {
    package var cursorBytes: [UInt8] {
        packed([UInt64(bitPattern: createdAt.milliseconds), article.high, article.low])
    }

    package init?(cursorBytes: [UInt8]) {
        guard let words = unpacked(cursorBytes, count: 3),
            let id = Article.ID(high: words[1], low: words[2])
        else { return nil }
        self.init(createdAt: Timestamp(milliseconds: Int64(bitPattern: words[0])), article: id)
    }
}

extension Identifier: CursorPosition {
    package var cursorBytes: [UInt8] { packed([high, low]) }

    package init?(cursorBytes: [UInt8]) {
        guard let words = unpacked(cursorBytes, count: 2) else { return nil }
        self.init(high: words[0], low: words[1])
    }
}

extension Epoch: CursorPosition {
    package var cursorBytes: [UInt8] { packed([high, low]) }

    package init?(cursorBytes: [UInt8]) {
        guard let words = unpacked(cursorBytes, count: 2) else { return nil }
        self.init(high: words[0], low: words[1])
    }
}

extension Int: CursorPosition {
    package var cursorBytes: [UInt8] { packed([UInt64(bitPattern: Int64(self))]) }

    package init?(cursorBytes: [UInt8]) {
        guard let words = unpacked(cursorBytes, count: 1) else { return nil }
        self.init(Int64(bitPattern: words[0]))
    }
}

extension String: CursorPosition {
    /// A tag has at most 64 characters, each of at most 5 bytes after case folding.
    private static var room: Int { 328 }

    /// The text followed by 1 and padded with zeros.
    package var cursorBytes: [UInt8] {
        let text = Array(utf8) + [1]
        let filled = (text.count + Self.room - 1) / Self.room * Self.room
        return text + [UInt8](repeating: 0, count: filled - text.count)
    }

    package init?(cursorBytes: [UInt8]) {
        guard let end = cursorBytes.lastIndex(where: { $0 != 0 }), cursorBytes[end] == 1 else {
            return nil
        }
        self.init(validating: cursorBytes[..<end], as: UTF8.self)
    }
}

/// Eight bytes per word, big-endian.
package func packed(_ words: [UInt64]) -> [UInt8] {
    words.flatMap { word in (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) } }
}

/// The words; `nil` if there are not this many.
package func unpacked(_ bytes: [UInt8], count: Int) -> [UInt64]? {
    guard bytes.count == 8 * count else { return nil }
    return (0..<count).map { word in
        bytes[8 * word..<8 * word + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    }
}
