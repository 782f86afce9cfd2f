import ArticleAPI
import ArticleServiceCore
import ArticleServices
import ArticleStore
import ParserLaws

/// An untrusted cursor: only those created by the sealer are accepted, and only for their own list.
enum CursorLaws {
    private static let sealer = CursorSealer(secret: [UInt8](repeating: 7, count: 32))

    static func broken(_ input: [UInt8]) -> [String] {
        var laws = ViolationCollector()
        let text = String(decoding: input, as: UTF8.self)
        // 128 bits of authentication: no input has them by chance.
        laws.expect(open(text, ArticlePosition.self) == nil, "no cursor can be forged")
        laws.expect(open(text, String.self) == nil, "no cursor can be forged")
        if let bytes = ByteText.bytes(base64URL: text) {
            laws.expect(ByteText.base64URL(bytes) == text, "each cursor has one spelling")
        }
        laws.expect(
            ByteText.bytes(base64URL: ByteText.base64URL(input)) == input, "bytes are read back")
        if let position = ArticlePosition(cursorBytes: input) { check(position, input, &laws) }
        if let id = Article.ID(cursorBytes: input) { check(id, input, &laws) }
        if let number = Int(cursorBytes: input) { check(number, input, &laws) }
        if let name = String(cursorBytes: input) { check(name, input, &laws) }
        return laws.broken
    }

    private static func open<Position: CursorPosition>(
        _ text: String, _ type: Position.Type
    ) -> Position? {
        do throws(ServiceError) {
            return try sealer.open(text, in: "articles")
        } catch { return nil }
    }

    /// A position can be sealed and opened; with one changed octet or another list it cannot.
    private static func check<Position: CursorPosition & Equatable>(
        _ position: Position, _ input: [UInt8], _ laws: inout ViolationCollector
    ) {
        let cursor = sealer.seal(position, in: "articles")
        guard cursor.utf8.count <= 500, !position.cursorBytes.isEmpty else { return }
        laws.expect(open(cursor, Position.self) == position, "a sealed cursor can be opened")
        let elsewhere: Position? = try? sealer.open(cursor, in: "tags")
        laws.expect(elsewhere == nil, "a cursor belongs to one list")
        var bytes = Array(cursor.utf8)
        let place = Int(input.first ?? 0) % bytes.count
        bytes[place] = bytes[place] == 0x41 ? 0x42 : 0x41
        let changed = String(decoding: bytes, as: UTF8.self)
        laws.expect(open(changed, Position.self) == nil, "a changed cursor is rejected")
    }
}
