/// Search by bytes in texts from outside. The library's functions of the same names compare
/// characters: they take quadratic time where flags follow each other, and do not find a `<` that a
/// combining mark follows.
extension StringProtocol where SubSequence == Substring {
    /// Returns the first range of the bytes of the other text, which must not be empty.
    package func firstRange(bytesOf other: String) -> Range<String.Index>? {
        guard let first = other.utf8.first else { return nil }
        var rest = self[...].utf8
        // Invariant: the other text does not begin before `rest`.
        while let start = rest.firstIndex(of: first) {
            rest = rest[start...]
            if rest.starts(with: other.utf8) {
                return start..<rest.index(start, offsetBy: other.utf8.count)
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// Returns true if this text contains the bytes of the other one.
    package func contains(bytesOf other: String) -> Bool { firstRange(bytesOf: other) != nil }

    /// The text with a replacement for each place that has the bytes of the other text.
    package func replacing(bytesOf other: String, with replacement: String) -> String {
        var result = ""
        var rest = self[...]
        // Invariant: `result` has the text before `rest`, replaced.
        while let range = rest.firstRange(bytesOf: other) {
            result += rest[..<range.lowerBound]
            result += replacement
            rest = rest[range.upperBound...]
        }
        return result + rest
    }
}

extension String {
    /// The text that these bytes are in UTF-8; `nil` if they are not.
    package init?(validUTF8 bytes: UnsafeBufferPointer<UInt8>) {
        if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
            self.init(validating: bytes, as: UTF8.self)
        } else {
            self.init(unrepaired: bytes)
        }
    }

    /// The same on older systems: a text of bytes that are not valid has others instead.
    init?(unrepaired bytes: UnsafeBufferPointer<UInt8>) {
        self.init(decoding: bytes, as: UTF8.self)
        guard utf8.elementsEqual(bytes) else { return nil }
    }

    /// The text that these bytes are in UTF-8; `nil` if they are not.
    package init?(validUTF8 bytes: [UInt8]) {
        guard let text = bytes.withUnsafeBufferPointer(String.init(validUTF8:)) else { return nil }
        self = text
    }
}
