extension Tag {
    /// The tag that a display name stands for.
    public init(named name: String) {
        let name = name.inNFC
        self.init(key: name.caseFolded, name: name)
    }
}

extension String {
    /// The text with differences of case removed, and without invisible characters, in NFC:
    /// `Straße` and `STRASSE` give the same.
    ///
    /// Upper-casing first joins what only one direction joins (`ß` and `ss`, the two lower sigmas),
    /// as Unicode's full case folding does. A dotless ı stays apart from i, as there.
    var caseFolded: String {
        var folded = ""
        for scalar in unicodeScalars where !isInvisible(scalar) {
            folded +=
                scalar == "\u{131}"
                ? String(scalar) : scalar.properties.uppercaseMapping.lowercased()
        }
        return folded.inNFC
    }
}
