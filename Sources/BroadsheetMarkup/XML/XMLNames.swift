/// The bytes of names and of white space in UTF-8 (XML 1.0 §2.3). Characters outside of ASCII count
/// as letters; libxml2 examines them.
enum XMLNames {
    static func isStart(_ byte: UInt8) -> Bool {
        (0x61...0x7A).contains(byte | 0x20) || byte == UInt8(ascii: "_")
            || byte == UInt8(ascii: ":") || byte >= 0x80
    }

    static func isPart(_ byte: UInt8) -> Bool {
        isStart(byte) || (0x30...0x39).contains(byte) || byte == UInt8(ascii: "-")
            || byte == UInt8(ascii: ".")
    }

    static func isName(_ bytes: some Collection<UInt8>) -> Bool {
        bytes.first.map(isStart) == true && bytes.allSatisfy(isPart)
    }

    static func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }
}
