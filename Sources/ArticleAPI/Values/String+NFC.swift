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
