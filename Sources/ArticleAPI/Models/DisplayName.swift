/// The rules for names that others see.
enum DisplayName {
    /// In Unicode scalars.
    static let lengths = 1...100

    /// Returns the reason why a backend rejects the name; `nil` if it accepts it.
    ///
    /// Invisible characters could make two names look alike, and those that control the direction
    /// of text could rearrange the text around the name. They are accepted only where they are part
    /// of a visible character.
    static func fault(_ text: String) -> String? {
        if let fault = TextLimit.fault(text, lengths, oneLine: true) { return fault }
        let scalars = Array(text.unicodeScalars)
        // The blank of Braille is a symbol without any dot.
        if scalars.allSatisfy({ $0.properties.isWhitespace || $0 == "\u{2800}" }) {
            return "is blank"
        }
        let isVisible = scalars.indices.allSatisfy { index in
            !isInvisible(scalars[index]) || isPart(at: index, of: scalars)
        }
        return isVisible ? nil : "contains an invisible character"
    }

    /// Returns true if an invisible scalar is part of an emoji (UTS #51 §1.4) or selects a variant
    /// of an ideograph (UTS #37).
    private static func isPart(at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        guard index > 0 else { return false }
        let previous = scalars[index - 1]
        let next = index + 1 < scalars.count ? scalars[index + 1] : nil
        switch scalars[index].value {
        case 0x200D: return isEmojiEnd(previous) && (next.map(isPictograph) ?? false)
        case 0xFE0E, 0xFE0F:
            // After a digit, it is part of a keycap only.
            let isKeycap = previous.properties.isEmoji && next == "\u{20E3}"
            return isKeycap || isPictograph(previous)
        case 0xFE00...0xFE02, 0xE0100...0xE01EF: return previous.properties.isIdeographic
        case 0xE0020...0xE007F: return isFlagTag(at: index, of: scalars)
        default: return false
        }
    }

    private static func isPictograph(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isEmoji && !scalar.isASCII
    }

    private static func isEmojiEnd(_ scalar: Unicode.Scalar) -> Bool {
        isPictograph(scalar) || scalar == "\u{FE0F}"
    }

    private static func isTag(_ scalar: Unicode.Scalar) -> Bool {
        (0xE0020...0xE007F).contains(scalar.value)
    }

    /// The flags of regions are a black flag and up to six letters and digits, with an end.
    private static func isFlagTag(at index: Int, of scalars: [Unicode.Scalar]) -> Bool {
        guard let flag = scalars[..<index].lastIndex(where: { !isTag($0) }),
            scalars[flag] == "\u{1F3F4}"
        else { return false }
        let tags = scalars[(flag + 1)...].prefix(while: isTag)
        return tags.count <= 7 && tags.last == "\u{E007F}"
    }
}
