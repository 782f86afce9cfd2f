/// Reads the declarations of a DOCTYPE, from after `[` to `]`, byte by byte, for nothing but the
/// names of the entities that they declare (XML 1.0 §2.8).
struct XMLDoctypeRepair {
    private(set) var names: Set<[UInt8]> = []
    private var state = State.between
    /// The beginning of a declaration, with spaces for quoted parts.
    private var token: [UInt8] = []

    private enum State {
        case between
        case declaration
        case quoted(UInt8)
        case instruction
        case comment
    }

    /// Maximum number of names, and of the bytes of a declaration that are looked at. References
    /// to others are not expanded either.
    private static let limitNames = 1_000
    private static let limitBytes = 1_000

    /// - Returns: True if the byte is the `]` that ends the declarations.
    mutating func take(_ byte: UInt8) -> Bool {
        switch state {
        case .between:
            if byte == UInt8(ascii: "]") { return true }
            if byte == UInt8(ascii: "<") {
                token = [byte]
                state = .declaration
            }
        case .declaration: takeOfDeclaration(byte)
        case .quoted(let quote): if byte == quote { state = .declaration }
        case .instruction: takeUntil("?>", byte)
        case .comment: takeUntil("-->", byte)
        }
        return false
    }

    private mutating func takeOfDeclaration(_ byte: UInt8) {
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "'"):
            append(0x20)
            state = .quoted(byte)
        case UInt8(ascii: ">"):
            noteEntity()
            state = .between
        default: append(byte)
        }
        let isComment = token.elementsEqual("<!--".utf8)
        if isComment || token.elementsEqual("<?".utf8) {
            token = []
            state = isComment ? .comment : .instruction
        }
    }

    private mutating func append(_ byte: UInt8) {
        if token.count < Self.limitBytes { token.append(byte) }
    }

    private mutating func takeUntil(_ end: String, _ byte: UInt8) {
        token.append(byte)
        if token.count > end.utf8.count { token.removeFirst() }
        if token.elementsEqual(end.utf8) { state = .between }
    }

    private mutating func noteEntity() {
        let words = token.split(maxSplits: 2, whereSeparator: XMLNames.isSpace)
        guard words.count > 1, words[0].elementsEqual("<!ENTITY".utf8),
            names.count < Self.limitNames
        else { return }
        names.insert(Array(words[1]))
    }
}
