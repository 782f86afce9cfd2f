import Glibc

extension String {
    /// Returns true if both have the same bytes. Swift's `==` also accepts canonically equivalent
    /// texts.
    package func hasBytes(of other: String) -> Bool {
        var (own, other) = (self, other)
        return own.withUTF8 { own in
            other.withUTF8 { other in
                guard own.count == other.count else { return false }
                guard let start = own.baseAddress, let otherStart = other.baseAddress else {
                    return own.isEmpty
                }
                return start == otherStart || memcmp(start, otherStart, own.count) == 0
            }
        }
    }
}
