extension PhraseKey {
    /// From January on.
    static let months: [PhraseKey] = [
        .month01, .month02, .month03, .month04, .month05, .month06, .month07, .month08, .month09,
        .month10, .month11, .month12,
    ]
    /// From January on, abbreviated.
    static let shortMonths: [PhraseKey] = [
        .month01Short, .month02Short, .month03Short, .month04Short, .month05Short, .month06Short,
        .month07Short, .month08Short, .month09Short, .month10Short, .month11Short, .month12Short,
    ]
}
