/// An encoding of text, as browsers read its label (WHATWG Encoding Standard §4.2).
struct XMLEncoding: Sendable, Hashable {
    /// The name that iconv(3) knows it by. Of encodings that are used for others that they contain,
    /// it is the larger one, such as windows-1252 for ISO-8859-1.
    let name: String

    static let utf8 = XMLEncoding(name: "UTF-8")

    private init(name: String) { self.name = name }

    /// A label that the standard does not have is a name for iconv(3), if that reads ASCII by it.
    init?(label: String) {
        let label = label.lowercased().filter { !" \t\n\r\u{C}".contains($0) }
        name = Self.names[label] ?? label
        guard Self.names[label] == nil else { return }
        let ascii = Array("<?xml".utf8)
        guard label.utf8.allSatisfy({ XMLNames.isPart($0) && $0 < 0x80 }),
            XMLConverter(self)?.convert(ascii, isLast: true) == ascii
        else { return nil }
    }

    /// True if ASCII text is encoded as in ASCII.
    private var isLikeASCII: Bool { !name.hasPrefix("UTF-16") }

    /// Returns the encoding of a document.
    ///
    /// - Parameter label: The charset of its media type; ignored if it is not known, as by
    ///   browsers.
    static func detect(
        _ start: ArraySlice<UInt8>, label: String?
    ) throws(XMLError) -> (encoding: XMLEncoding, markBytes: Int) {
        for (mark, name) in marks where start.starts(with: mark) {
            return (XMLEncoding(name: name), mark.count)
        }
        if let name = wideName(start) { return (XMLEncoding(name: name), 0) }
        // A text read as bytes up to here cannot be UTF-16 (HTML §13.2.3.2).
        if let named = label.flatMap({ XMLEncoding(label: $0) }) {
            return (named.isLikeASCII ? named : utf8, 0)
        }
        guard let declared = declaredLabel(start) else { return (utf8, 0) }
        guard let named = XMLEncoding(label: declared) else {
            throw XMLError(line: 1, .unknownEncoding(declared))
        }
        return (named.isLikeASCII ? named : utf8, 0)
    }

    private static let marks: [([UInt8], String)] = [
        ([0xEF, 0xBB, 0xBF], "UTF-8"), ([0xFF, 0xFE, 0, 0], "UTF-32LE"),
        ([0, 0, 0xFE, 0xFF], "UTF-32BE"), ([0xFF, 0xFE], "UTF-16LE"), ([0xFE, 0xFF], "UTF-16BE"),
    ]

    /// The encoding of a `<`, or white space, in units of more than a byte.
    private static func wideName(_ start: ArraySlice<UInt8>) -> String? {
        let bytes = Array(start.prefix(8))
        guard bytes.count >= 4 else { return nil }
        let isFirst = bytes.map { $0 == UInt8(ascii: "<") || XMLNames.isSpace($0) }
        let isZero = bytes.map { $0 == 0 }
        switch (isZero[0], isZero[1], isZero[2], isZero[3]) {
        case (true, false, true, false) where isFirst[1]: return "UTF-16BE"
        case (false, true, false, true) where isFirst[0]: return "UTF-16LE"
        case (true, true, true, false)
        where isFirst[3] && isZero.dropFirst(4).prefix(3) == [true, true, true]:
            return "UTF-32BE"
        case (false, true, true, true)
        where isFirst[0] && isZero.dropFirst(5).prefix(3) == [true, true, true]:
            return "UTF-32LE"
        default: return nil
        }
    }

    /// Returns the encoding in the XML declaration, even if something precedes it.
    private static func declaredLabel(_ start: ArraySlice<UInt8>) -> String? {
        var rest = start
        // Invariant: there is no declaration before `rest`.
        while let open = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[open...]
            if rest.starts(with: "<![CDATA[".utf8) { return nil }
            let name = rest.dropFirst(XMLDeclaration.start.count)
            if rest.starts(with: XMLDeclaration.start), name.first.map(XMLNames.isSpace) == true {
                guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return nil }
                return XMLDeclaration(rest[...end]).encoding
            }
            rest = rest.dropFirst()
        }
        return nil
    }

    /// Returns the number of bytes that one replacement character stands for. A byte after the
    /// first one of a character is not taken for a first one, unless it is ASCII.
    func invalidLength(_ bytes: ArraySlice<UInt8>) -> Int {
        if name.hasPrefix("UTF-16") { return min(2, bytes.count) }
        if name.hasPrefix("UTF-32") { return min(4, bytes.count) }
        guard Self.multibyte.contains(name) else { return 1 }
        return bytes.dropFirst().first.map { $0 >= 0x80 } == true && bytes.first ?? 0 > 0x80
            ? 2 : 1
    }

    private static let multibyte: Set<String> = [
        "GB18030", "BIG5-HKSCS", "EUC-JP-MS", "CP932", "CP949",
    ]

    /// By label.
    private static let names: [String: String] = {
        var names: [String: String] = [:]
        for (name, labels) in table {
            for label in labels.split(separator: " ") { names[String(label)] = name }
        }
        return names
    }()

    /// The labels of each encoding; those of the standard's "replacement" are left out, as it
    /// decodes nothing.
    private static let table: [(name: String, labels: String)] = [
        ("UTF-8", "unicode-1-1-utf-8 unicode11utf8 unicode20utf8 utf-8 utf8 x-unicode20utf8"),
        ("CP866", "866 cp866 csibm866 ibm866"),
        (
            "ISO-8859-2",
            "csisolatin2 iso-8859-2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 l2 "
                + "latin2"
        ),
        (
            "ISO-8859-3",
            "csisolatin3 iso-8859-3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 l3 "
                + "latin3"
        ),
        (
            "ISO-8859-4",
            "csisolatin4 iso-8859-4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 l4 "
                + "latin4"
        ),
        (
            "ISO-8859-5",
            "csisolatincyrillic cyrillic iso-8859-5 iso-ir-144 iso8859-5 iso88595 iso_8859-5 "
                + "iso_8859-5:1988"
        ),
        (
            "ISO-8859-6",
            "arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 iso-8859-6 "
                + "iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 "
                + "iso_8859-6:1987"
        ),
        (
            "ISO-8859-7",
            "csisolatingreek ecma-118 elot_928 greek greek8 iso-8859-7 iso-ir-126 iso8859-7 "
                + "iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek"
        ),
        (
            "ISO-8859-8",
            "csiso88598e csisolatinhebrew hebrew iso-8859-8 iso-8859-8-e iso-ir-138 iso8859-8 "
                + "iso88598 iso_8859-8 iso_8859-8:1988 visual csiso88598i iso-8859-8-i logical"
        ),
        (
            "ISO-8859-10",
            "csisolatin6 iso-8859-10 iso-ir-157 iso8859-10 iso885910 l6 latin6"
        ),
        ("ISO-8859-13", "iso-8859-13 iso8859-13 iso885913"),
        ("ISO-8859-14", "iso-8859-14 iso8859-14 iso885914"),
        ("ISO-8859-15", "csisolatin9 iso-8859-15 iso8859-15 iso885915 iso_8859-15 l9"),
        ("ISO-8859-16", "iso-8859-16"),
        ("KOI8-R", "cskoi8r koi koi8 koi8-r koi8_r"),
        ("KOI8-U", "koi8-ru koi8-u"),
        ("MACINTOSH", "csmacintosh mac macintosh x-mac-roman"),
        ("CP874", "dos-874 iso-8859-11 iso8859-11 iso885911 tis-620 windows-874"),
        ("CP1250", "cp1250 windows-1250 x-cp1250"),
        ("CP1251", "cp1251 windows-1251 x-cp1251"),
        (
            "CP1252",
            "ansi_x3.4-1968 ascii cp1252 cp819 csisolatin1 ibm819 iso-8859-1 iso-ir-100 "
                + "iso8859-1 iso88591 iso_8859-1 iso_8859-1:1987 l1 latin1 us-ascii windows-1252 "
                + "x-cp1252"
        ),
        ("CP1253", "cp1253 windows-1253 x-cp1253"),
        (
            "CP1254",
            "cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 iso_8859-9 "
                + "iso_8859-9:1989 l5 latin5 windows-1254 x-cp1254"
        ),
        ("CP1255", "cp1255 windows-1255 x-cp1255"),
        ("CP1256", "cp1256 windows-1256 x-cp1256"),
        ("CP1257", "cp1257 windows-1257 x-cp1257"),
        ("CP1258", "cp1258 windows-1258 x-cp1258"),
        ("MAC-UK", "x-mac-cyrillic x-mac-ukrainian"),
        (
            "GB18030",
            "chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 gbk iso-ir-58 x-gbk "
                + "gb18030"
        ),
        ("BIG5-HKSCS", "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
        ("EUC-JP-MS", "cseucpkdfmtjapanese euc-jp x-euc-jp"),
        ("ISO-2022-JP", "csiso2022jp iso-2022-jp"),
        (
            "CP932",
            "csshiftjis ms932 ms_kanji shift-jis shift_jis sjis windows-31j x-sjis"
        ),
        (
            "CP949",
            "cseuckr csksc56011987 euc-kr iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
                + "ksc5601 ksc_5601 windows-949"
        ),
        ("UTF-16BE", "unicodefffe utf-16be"),
        (
            "UTF-16LE",
            "csunicode iso-10646-ucs-2 ucs-2 unicode unicodefeff utf-16 utf-16le"
        ),
    ]
}
