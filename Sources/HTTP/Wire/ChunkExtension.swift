/// The decoder's state in chunk extensions (RFC 9112 §7.1.1):
/// `*( BWS ";" BWS name [ BWS "=" BWS ( token / quoted-string ) ] )`. They are validated and
/// discarded.
enum ChunkExtension: Sendable {
    case beforeSemicolon
    case beforeName, name, behindName
    case beforeValue, token
    case quoted, escaped, behindQuote

    /// Whether the line may end in this state.
    var isWhole: Bool {
        switch self {
        case .name, .token, .behindQuote: true
        default: false
        }
    }

    /// The state after one more octet; `nil` if the octet is not allowed.
    func next(_ byte: UInt8) -> ChunkExtension? {
        switch self {
        case .beforeSemicolon: afterSpace(byte)
        case .beforeName:
            Token.isSpace(byte) ? self : Token.contains(byte) ? .name : nil
        case .name: Token.contains(byte) ? self : behindName(byte)
        case .behindName: behindName(byte)
        case .beforeValue:
            if Token.isSpace(byte) {
                self
            } else {
                byte == UInt8(ascii: "\"") ? .quoted : Token.contains(byte) ? .token : nil
            }
        case .token: Token.contains(byte) ? self : afterSpace(byte)
        case .quoted:
            switch byte {
            case UInt8(ascii: "\""): .behindQuote
            case UInt8(ascii: "\\"): .escaped
            default: Token.isFieldContent(byte) ? self : nil
            }
        case .escaped: Token.isFieldContent(byte) ? .quoted : nil
        case .behindQuote: afterSpace(byte)
        }
    }

    private func behindName(_ byte: UInt8) -> ChunkExtension? {
        if byte == UInt8(ascii: "=") { return .beforeValue }
        return Token.isSpace(byte) ? .behindName : afterSpace(byte)
    }

    private func afterSpace(_ byte: UInt8) -> ChunkExtension? {
        Token.isSpace(byte) ? .beforeSemicolon : byte == UInt8(ascii: ";") ? .beforeName : nil
    }
}
