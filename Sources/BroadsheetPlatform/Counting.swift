extension FixedWidthInteger {
    /// The number with its noun, for a message: `1 article`, `2 articles`.
    package func counted(_ noun: String) -> String { self == 1 ? "1 \(noun)" : "\(self) \(noun)s" }
}
