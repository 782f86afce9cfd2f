import ArticleAPI

/// Reads UTF-8 into units, from left to right.
struct TextReader {
    private(set) var folded: [UInt8] = []
    private(set) var units: [TextUnit] = []
    /// The separator between the last unit and the next.
    private var gap = TextUnit.Gap.other
    /// True if the gap is white space that contains a line feed.
    private var hasLineFeed = false
    /// The unit that is being read.
    private var kind: TextUnit.Kind?
    private var start = 0
    private var foldedStart = 0
    private var isCapital = false
    private var openGap = TextUnit.Gap.other

    /// Reserves space for `capacity` bytes.
    init(capacity: Int = 0) {
        folded.reserveCapacity(capacity)
        units.reserveCapacity(capacity / 4)
    }

    /// Reads a text whose units are separate from those before.
    mutating func read(_ bytes: [UInt8]) {
        let slice = bytes[...]
        read(slice.span)
    }

    private mutating func read(_ bytes: Span<UInt8>) {
        gap = .other
        var index = 0
        // Invariant: the bytes before `index` are read; they end within a unit if `kind` is set.
        while index < bytes.count {
            let byte = bytes[index]
            if Self.isLetter(byte) {
                open(.letters, at: index, isCapital: byte & 0x20 == 0)
                index = appendLetters(bytes, index)
            } else if byte >= 0x80 {
                index += readScalar(bytes, index)
            } else if byte &- UInt8(ascii: "0") < 10 {
                open(.number, at: index)
                folded.append(byte)
                index += 1
            } else {
                index += readMark(byte, length: 1, bytes, index)
            }
        }
        close(at: bytes.count)
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- UInt8(ascii: "a") < 26 }

    /// Appends the letters of ASCII that begin here; returns where they end.
    @inline(__always)
    private mutating func appendLetters(_ bytes: Span<UInt8>, _ start: Int) -> Int {
        var end = start + 1
        while end < bytes.count, Self.isLetter(bytes[end]) { end += 1 }
        let first = folded.count
        bytes.extracting(start..<end).withUnsafeBufferPointer { folded.append(contentsOf: $0) }
        folded.withUnsafeMutableBufferPointer { folded in
            for place in first..<folded.count { folded[place] |= 0x20 }
        }
        return end
    }

    @inline(__always)
    private mutating func open(
        _ next: TextUnit.Kind, at index: Int, isCapital: Bool = false
    ) {
        if kind == next { return }
        close(at: index)
        kind = next
        start = index
        foldedStart = folded.count
        self.isCapital = isCapital
        openGap = gap
    }

    @inline(__always)
    private mutating func close(at index: Int) {
        guard let kind else { return }
        append(kind, openGap, start..<index)
        self.kind = nil
        gap = .none
    }

    @inline(__always)
    private mutating func append(
        _ kind: TextUnit.Kind, _ gap: TextUnit.Gap, _ range: Range<Int>
    ) {
        units.append(
            TextUnit(
                start: UInt32(truncatingIfNeeded: range.lowerBound),
                end: UInt32(truncatingIfNeeded: range.upperBound),
                foldedStart: UInt32(truncatingIfNeeded: foldedStart),
                foldedEnd: UInt32(truncatingIfNeeded: folded.count), kind: kind, gap: gap,
                isCapital: isCapital))
    }

    /// Reads ASCII that is neither a letter nor a digit; returns the number of bytes read.
    ///
    /// - Parameter length: of the mark; 3 in full width.
    private mutating func readMark(
        _ mark: UInt8, length: Int, _ bytes: Span<UInt8>, _ index: Int
    ) -> Int {
        switch mark {
        case UInt8(ascii: " "), UInt8(ascii: "\t")...UInt8(ascii: "\r"):
            close(at: index)
            readWhiteSpace(isLineFeed: mark == UInt8(ascii: "\n"))
        case UInt8(ascii: "-"):
            close(at: index)
            gap = gap == .none ? .joiner : .other
        case UInt8(ascii: "'"):
            close(at: index)
            return readApostrophe(bytes, index, length: length)
        case UInt8(ascii: ".")
        where kind == .number && isDigit(bytes, index + length):
            folded.append(mark)
        case UInt8(ascii: "+"), UInt8(ascii: "#"):
            let (signs, end) = languageSigns(mark, length: length, bytes, index)
            guard signs > 0 else { fallthrough }
            for _ in 0..<signs { folded.append(mark) }
            kind = .code
            close(at: end)
            return end - index
        default:
            close(at: index)
            gap = .other
        }
        return length
    }

    private mutating func readWhiteSpace(isLineFeed: Bool) {
        switch gap {
        case .none:
            gap = .whiteSpace
            hasLineFeed = isLineFeed
        case .whiteSpace:
            if isLineFeed, hasLineFeed { gap = .other }
            hasLineFeed = hasLineFeed || isLineFeed
        case .joiner, .other: gap = .other
        }
    }

    /// Reads an apostrophe, and the `s` behind it if that is the whole rest of the word.
    private mutating func readApostrophe(_ bytes: Span<UInt8>, _ index: Int, length: Int) -> Int {
        let next = index + length
        if gap == .none, let letter = Self.ascii(bytes, next),
            letter.byte | 0x20 == UInt8(ascii: "s"), !isWord(bytes, next + letter.length)
        {
            gap = .other
            return length + letter.length
        }
        gap = gap == .none ? .joiner : .other
        return length
    }

    /// Returns the number of signs that make the letter before them a language's name, and their
    /// end: `c++`, `f#`.
    private func languageSigns(
        _ sign: UInt8, length: Int, _ bytes: Span<UInt8>, _ index: Int
    ) -> (count: Int, end: Int) {
        let end = index + length
        guard kind == .letters, !openGap.isInWord, let letter = Self.ascii(bytes, start),
            start + letter.length == index
        else { return (0, end) }
        if sign == UInt8(ascii: "#") { return (isWord(bytes, end) ? 0 : 1, end) }
        guard let second = Self.ascii(bytes, end), second.byte == sign else { return (0, end) }
        return (2, end + second.length)
    }

    private func isDigit(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        Self.ascii(bytes, index).map { $0.byte &- UInt8(ascii: "0") < 10 } ?? false
    }

    /// Returns true if a letter or a digit of ASCII is there.
    private func isWord(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        Self.ascii(bytes, index).map { Self.isLetter($0.byte) } ?? false || isDigit(bytes, index)
    }

    /// The character of ASCII that is here, perhaps in full width, and its length; `nil` if there
    /// is none.
    @inline(__always)
    private static func ascii(
        _ bytes: Span<UInt8>, _ index: Int
    ) -> (byte: UInt8, length: Int)? {
        guard index < bytes.count else { return nil }
        if bytes[index] < 0x80 { return (bytes[index], 1) }
        // U+FF01 to U+FF5E are EF BC 81 to EF BD 9E.
        guard bytes[index] == 0xEF, index + 2 < bytes.count, bytes[index + 1] & 0xFE == 0xBC
        else { return nil }
        let value = bytes[index + 1] << 6 | bytes[index + 2] & 0x3F
        return 1...0x5E ~= value ? (value + 0x20, 3) : nil
    }
}

extension TextReader {
    /// Reads a scalar above ASCII; returns the number of its bytes.
    private mutating func readScalar(_ bytes: Span<UInt8>, _ index: Int) -> Int {
        if Self.isHangul(bytes, index) {
            beginSyllable(at: index)
            bytes.extracting(index..<index + 3).withUnsafeBufferPointer {
                folded.append(contentsOf: $0)
            }
            endSyllable(index..<index + 3)
            return 3
        }
        if let character = Self.ascii(bytes, index) {
            return readFullWidth(character.byte, bytes, index)
        }
        let (scalar, length) = Self.scalar(bytes, index)
        let character = FoldedScalar(scalar)
        switch character.kind {
        case .letter, .digit:
            open(
                character.kind == .letter ? .letters : .number, at: index,
                isCapital: character.isCapital)
            character.append(to: &folded)
        case .syllable:
            beginSyllable(at: index)
            character.append(to: &folded)
            endSyllable(index..<index + length)
        case .mark: if kind != nil { character.append(to: &folded) }
        case .voicing: voice(character, index..<index + length)
        case .ignored: break
        case .whiteSpace:
            close(at: index)
            readWhiteSpace(isLineFeed: false)
        case .joiner:
            close(at: index)
            if scalar == "\u{2019}" { return readApostrophe(bytes, index, length: length) }
            gap = gap == .none ? .joiner : .other
        case .other:
            close(at: index)
            gap = .other
        }
        return length
    }

    /// Returns true if a syllable of Hangul, U+AC00 to U+D7A3, is here.
    @inline(__always)
    private static func isHangul(_ bytes: Span<UInt8>, _ index: Int) -> Bool {
        guard 0xEA...0xED ~= bytes[index], index + 2 < bytes.count else { return false }
        let (lead, second, third) = (bytes[index], bytes[index + 1], bytes[index + 2])
        guard second & 0xC0 == 0x80, third & 0xC0 == 0x80 else { return false }
        let value = UInt32(lead & 0xF) << 12 | UInt32(second & 0x3F) << 6 | UInt32(third & 0x3F)
        return 0xAC00...0xD7A3 ~= value
    }

    @inline(__always)
    private mutating func beginSyllable(at index: Int) {
        close(at: index)
        foldedStart = folded.count
        isCapital = false
    }

    @inline(__always)
    private mutating func endSyllable(_ range: Range<Int>) {
        append(.syllable, gap, range)
        gap = .none
    }

    /// Adds a voicing mark to the kana before it; without one, it is skipped.
    private mutating func voice(_ mark: FoldedScalar, _ range: Range<Int>) {
        guard kind == nil, gap == .none, let kana = units.last, kana.kind == .syllable else {
            return
        }
        let letter = folded[kana.folded]
        var both = Array(letter)
        mark.append(to: &both)
        let voiced = Array(String(decoding: both, as: UTF8.self).inNFC.utf8)
        guard voiced.count == letter.count else { return }
        folded.replaceSubrange(kana.folded, with: voiced)
        units.removeLast()
        foldedStart = Int(kana.foldedStart)
        append(.syllable, kana.gap, Int(kana.start)..<range.upperBound)
    }

    /// Reads a full-width form of ASCII; returns the number of bytes read.
    private mutating func readFullWidth(
        _ byte: UInt8, _ bytes: Span<UInt8>, _ index: Int
    ) -> Int {
        if Self.isLetter(byte) {
            open(.letters, at: index, isCapital: byte & 0x20 == 0)
            folded.append(byte | 0x20)
        } else if byte &- UInt8(ascii: "0") < 10 {
            open(.number, at: index)
            folded.append(byte)
        } else {
            return readMark(byte, length: 3, bytes, index)
        }
        return 3
    }

    /// The scalar that begins here, and its length; U+FFFD for bytes that are none.
    private static func scalar(_ bytes: Span<UInt8>, _ index: Int) -> (Unicode.Scalar, Int) {
        let lead = bytes[index]
        let length = lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        guard lead >= 0xC2, index + length <= bytes.count else { return ("\u{FFFD}", 1) }
        var value = UInt32(lead) & (0x7F >> UInt32(length))
        for next in index + 1..<index + length {
            let byte = bytes[next]
            guard byte & 0xC0 == 0x80 else { return ("\u{FFFD}", 1) }
            value = value << 6 | UInt32(byte & 0x3F)
        }
        return (Unicode.Scalar(value) ?? "\u{FFFD}", length)
    }
}
