import BroadsheetHTTP

extension String {
    /// The text in Unicode Normalization Form C, stream-safe, which is how the backend stores text.
    ///
    /// Uses the standard library's normaliser, which exists on every platform (5 ns per byte);
    /// ASCII is already normalized.
    public var inNFC: String {
        let bits = utf8.withContiguousStorageIfAvailable { $0.reduce(0) { $0 | $1 } }
        if let bits, bits < 0x80 { return self }
        // Normalization may decompose one mark into two.
        return String(decoding: streamSafe._nfcCodeUnits, as: UTF8.self).streamSafe
    }

    /// The text with case folded and invisible characters removed, in NFC: `Straße` and `STRASSE`
    /// give the same result.
    ///
    /// Upper-casing first unifies `ß` with `ss` and the two lower-case sigmas, as Unicode's full
    /// case folding does. A dotless ı stays distinct from i, as it does there.
    package var caseFolded: String {
        var folded = ""
        for scalar in unicodeScalars where !isInvisible(scalar) {
            folded +=
                scalar == "\u{131}"
                ? String(scalar) : scalar.properties.uppercaseMapping.lowercased()
        }
        return folded.inNFC
    }
}

extension String {
    /// The beginning of untrusted text, short enough for an error message: at most 100 Unicode
    /// scalars (a single character can have millions).
    var excerpt: String {
        guard utf8.count > 100 else { return self }
        let start = String(UnicodeScalarView(unicodeScalars.prefix(100)))
        return start.utf8.count == utf8.count ? self : start + "…"
    }
}

/// Returns true if the scalar is invisible (Default_Ignorable_Code_Point).
package func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    scalar.value >= 0xAD && scalar.properties.isDefaultIgnorableCodePoint
}
