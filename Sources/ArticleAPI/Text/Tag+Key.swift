extension Tag {
    /// The tag with this display name.
    public init(named name: String) {
        let name = name.inNFC
        self.init(key: name.caseFolded, name: name)
    }
}

extension String {
    /// The text with case folded and invisible characters removed, in NFC: `Straße` and `STRASSE`
    /// give the same result.
    ///
    /// Upper-casing first unifies `ß` with `ss` and the two lower-case sigmas, as Unicode's full
    /// case folding does. A dotless ı stays distinct from i, as it does there.
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
