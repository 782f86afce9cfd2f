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
        return max(1, 127 - (all / some).leadingZeroBitCount)
    }

    /// Returns the impact of an alternative on a document.
    ///
    /// - Parameters:
    ///   - weakest: The smallest, over the ranges, of the greatest impact of a key in the range.
    ///   - eighths: The eighths of the alternative.
    package static func impact(_ weakest: Int, eighths: Int) -> Int { weakest * eighths / 8 }

    /// The fourth power of a count below 2³¹.
    private static func power4(_ count: Int) -> UInt128 {
        let square = UInt128(max(1, count)) * UInt128(max(1, count))
        return square * square
    }
}
