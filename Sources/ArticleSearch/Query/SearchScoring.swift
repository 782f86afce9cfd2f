/// The integers that order results: by score, then by time of publication, then by id, all
/// descending. `search.md` of the manual says the same for other engines.
package enum SearchScoring {
    /// Returns the weight of a clause: ⌊4·log₂((N + 1) / df)⌋, at least 1.
    ///
    /// - Parameters:
    ///   - documents: N, the number of all that are searched.
    ///   - frequency: df, the number of those that match the clause; not 0.
    package static func weight(documents: Int, frequency: Int) -> Int {
        let all = power4(documents + 1)
        let some = power4(frequency)
        // ⌊log₂⌋ of the quotient: the difference of the lengths in bits, or one less.
        let difference = some.shift - all.shift
        return max(1, all.bits < some.bits ? difference - 1 : difference)
    }

    /// Returns the impact of an alternative on a document.
    ///
    /// - Parameters:
    ///   - weakest: The smallest, over the ranges, of the greatest impact of a key in the range.
    ///   - eighths: The eighths of the alternative.
    package static func impact(_ weakest: Int, eighths: Int) -> Int { weakest * eighths / 8 }

    /// The fourth power of a count below 2³¹: its 128 bits from the first that is 1, and the number
    /// of zeros before that.
    private static func power4(_ count: Int) -> (bits: (UInt64, UInt64), shift: Int) {
        let square = UInt64(max(1, count)) * UInt64(max(1, count))
        let (high, low) = square.multipliedFullWidth(by: square)
        let shift =
            high == 0 ? 64 + low.leadingZeroBitCount : high.leadingZeroBitCount
        return ((high << shift | low >> (64 - shift), low << shift), shift)
    }
}
