import CBroadsheetXML

/// References of a document to characters and entities (XML 1.0 §4.1), and the text that is read
/// for them.
struct XMLReferences {
    /// Entities that the document declares. They are never expanded.
    var declared: Set<[UInt8]> = []
    /// A high surrogate whose low one may follow: some programs write characters in two halves.
    private var highSurrogate: UInt32?

    /// The bytes that are written instead of a reference, and the reason.
    typealias Replacement = (bytes: [UInt8], kind: XMLRepairs.Kind)

    /// Maximum length of a reference; a longer one is text.
    static let limitBytes = 100

    /// Returns true if a reference may have this byte between its ampersand and its semicolon.
    static func isPart(_ byte: UInt8) -> Bool { XMLNames.isPart(byte) || byte == UInt8(ascii: "#") }

    /// Returns the replacement for an ampersand and the bytes after it, up to and including a
    /// semicolon, if there is one; `nil` if it is a reference that every document may have.
    mutating func replacement(for token: ArraySlice<UInt8>) -> Replacement? {
        let high = highSurrogate
        highSurrogate = nil
        let bare = (Array("&amp;".utf8) + token.dropFirst(), XMLRepairs.Kind.ampersand)
        guard token.last == UInt8(ascii: ";") else { return bare }
        let name = Array(token.dropFirst().dropLast())
        if name.first == UInt8(ascii: "#") {
            guard let value = Self.number(name.dropFirst()) else { return bare }
            return replacement(forCharacter: value, after: high)
        }
        if Self.predefined.contains(name) { return nil }
        if declared.contains(name) { return (bare.0, .declaredEntity) }
        guard let scalar = Self.namedCharacters[name] else { return bare }
        return (Array(String(scalar).utf8), .namedCharacter)
    }

    /// Notes that something other than a reference follows.
    mutating func noteOther() { highSurrogate = nil }

    private mutating func replacement(
        forCharacter value: UInt32, after high: UInt32?
    ) -> Replacement? {
        if let scalar = Unicode.Scalar(value), XMLCharacters.isAllowed(scalar) { return nil }
        if (0xD800..<0xDC00).contains(value) { highSurrogate = value }
        if let high, let scalar = XMLCharacters.scalar(high: high, low: value) {
            return (Array(String(scalar).utf8), .character)
        }
        return ([], .character)
    }

    /// The number of a character; one that is too large is 0xFFFFFFFF.
    private static func number(_ digits: ArraySlice<UInt8>) -> UInt32? {
        let isHexadecimal = digits.first == UInt8(ascii: "x")
        let digits = isHexadecimal ? digits.dropFirst() : digits
        guard !digits.isEmpty else { return nil }
        var number: UInt32 = 0
        for digit in digits {
            let scalar = Character(Unicode.Scalar(digit))
            guard let value = scalar.hexDigitValue, digit < 0x80, isHexadecimal || value < 10
            else { return nil }
            number = number > 0x110000 ? .max : number * (isHexadecimal ? 16 : 10) + UInt32(value)
        }
        return number
    }

    private static let predefined = Set(["amp", "lt", "gt", "quot", "apos"].map { Array($0.utf8) })

    /// The characters that libxml2 knows by name: those of HTML 4 §24.
    private static let namedCharacters: [[UInt8]: Unicode.Scalar] = {
        LibXML.initialize()
        var characters: [[UInt8]: Unicode.Scalar] = [:]
        for value in UInt32(0x20)...0x27FF {
            guard let scalar = Unicode.Scalar(value),
                let name = htmlEntityValueLookup(value)?.pointee.name
            else { continue }
            characters[Array(String(cString: name).utf8)] = scalar
        }
        return characters
    }()
}
