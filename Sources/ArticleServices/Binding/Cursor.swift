package import ArticleAPI
package import ArticleStore

/// A place in a list that a cursor carries.
package protocol CursorPosition: Sendable {
    var cursorBytes: [UInt8] { get }
    init?(cursorBytes: [UInt8])
}

/// Makes and reads cursors: opaque, authenticated, bound to the list that they belong to.
///
/// A cursor is base64url of the position's bytes and 16 bytes of HMAC-SHA-256 over the list (its
/// filters, order and audience) and the position. It holds no secret; it cannot be made up.
public struct CursorSealer: Sendable {
    private let secret: [UInt8]
    private static let macLength = 16

    /// A sealer with a secret of at least 32 bytes (`ArticleStore.secret(named:)`).
    public init(secret: [UInt8]) { self.secret = secret }

    /// The cursor for a position in the list that `list` describes.
    package func seal(_ position: some CursorPosition, in list: String) -> String {
        let bytes = position.cursorBytes
        return ByteText.base64URL(bytes + mac(of: bytes, in: list))
    }

    /// The position in the list, `.invalid` if this sealer made no such cursor for this list.
    package func open<Position: CursorPosition>(
        _ cursor: String, in list: String
    ) throws(ServiceError) -> Position {
        guard cursor.utf8.count <= 400, let bytes = ByteText.bytes(base64URL: cursor),
            bytes.count > Self.macLength
        else { throw Self.invalid }
        let content = Array(bytes.dropLast(Self.macLength))
        let mac = Array(bytes.suffix(Self.macLength))
        guard Digest.areEqual(mac, self.mac(of: content, in: list)),
            let position = Position(cursorBytes: content)
        else { throw Self.invalid }
        return position
    }

    /// The length of the list's name stands before it, so that no two pairs give the same bytes.
    private func mac(of position: [UInt8], in list: String) -> [UInt8] {
        let name = Array(list.utf8)
        let length = (0..<8).map { UInt8(truncatingIfNeeded: name.count >> ($0 * 8)) }
        return Array(Digest.hmac(length + name + position, key: secret).prefix(Self.macLength))
    }

    private static let invalid = ServiceError.badParameter(
        "cursor", "is not a cursor of this list; start again without one")
}

extension ArticlePosition: CursorPosition {
    package var cursorBytes: [UInt8] {
        [UInt64(bitPattern: key), id.high, id.low].flatMap(Self.bytes(of:))
    }

    package init?(cursorBytes: [UInt8]) {
        guard cursorBytes.count == 24 else { return nil }
        let words = [0, 8, 16].map { start in
            cursorBytes[start..<start + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        guard let id = Article.ID(high: words[1], low: words[2]) else { return nil }
        self.init(key: Int64(bitPattern: words[0]), id: id)
    }

    private static func bytes(of word: UInt64) -> [UInt8] {
        (0..<8).map { UInt8(truncatingIfNeeded: word >> (56 - 8 * $0)) }
    }
}

extension String: CursorPosition {
    package var cursorBytes: [UInt8] { Array(utf8) }

    package init?(cursorBytes: [UInt8]) { self.init(validating: cursorBytes, as: UTF8.self) }
}

extension Identifier: CursorPosition {
    package var cursorBytes: [UInt8] { description.cursorBytes }

    package init?(cursorBytes: [UInt8]) {
        guard let text = String(cursorBytes: cursorBytes) else { return nil }
        self.init(text)
    }
}

extension Int: CursorPosition {
    package var cursorBytes: [UInt8] { String(self).cursorBytes }

    package init?(cursorBytes: [UInt8]) {
        guard let text = String(cursorBytes: cursorBytes) else { return nil }
        self.init(text)
    }
}
