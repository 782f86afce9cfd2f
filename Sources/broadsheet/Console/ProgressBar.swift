/// A progress bar on standard error, shown only on a terminal.
struct ProgressBar {
    private let isShown = Console.errorIsTerminal
    private var shownPercent = -1

    private static let width = 30

    /// Redraws the bar when the percentage has changed.
    mutating func show(_ done: Int, of total: Int, _ text: String) {
        guard isShown else { return }
        let percent = total > 0 ? min(100, done * 100 / total) : 100
        guard percent != shownPercent else { return }
        shownPercent = percent
        let filled = percent * Self.width / 100
        let bar =
            String(repeating: "#", count: filled)
            + String(repeating: ".", count: Self.width - filled)
        Console.draw("\r[\(bar)] \(percent) %  \(text)\u{1B}[K")
    }

    /// Removes the bar, so that the next line replaces it.
    mutating func clear() {
        guard isShown, shownPercent >= 0 else { return }
        shownPercent = -1
        Console.draw("\r\u{1B}[K")
    }
}
