extension String {
    /// The beginning of untrusted text, short enough for an error message: at most 100 Unicode
    /// scalars (a single character can have millions).
    var excerpt: String {
        guard utf8.count > 100 else { return self }
        let start = String(UnicodeScalarView(unicodeScalars.prefix(100)))
        return start.utf8.count == utf8.count ? self : start + "…"
    }
}
