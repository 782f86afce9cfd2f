import ArticleAPI

extension Timestamp {
    /// Parses the date formats found in posts: `2016-1-29`, `2016-02-01 18:00`, `2016-02-01 9:00:00
    /// +0900`, or RFC 3339. Without an offset it is UTC.
    ///
    /// The text is normalized to RFC 3339, whose parser validates it.
    init?(frontMatter text: String) {
        let halves = text.split(maxSplits: 1) { $0 == " " || $0 == "T" || $0 == "t" }
        let date = (halves.first ?? "").split(separator: "-", omittingEmptySubsequences: false)
        guard date.count == 3 else { return nil }
        let day = "\(date[0])-\(Self.padded(date[1]))-\(Self.padded(date[2]))"
        guard halves.count == 2 else {
            self.init("\(day)T00:00:00Z")
            return
        }
        var time = halves[1].trimmingSpaces
        let offset = Self.takeOffset(from: &time)
        var parts = time.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        let hour = Self.padded(parts.removeFirst())
        if parts.count == 1 { parts.append("00") }
        self.init("\(day)T\(hour):\(parts.joined(separator: ":"))\(offset)")
    }

    private static func padded(_ number: Substring) -> String {
        number.utf8.count == 1 ? "0\(number)" : String(number)
    }

    /// Removes and returns the offset `Z`, `UTC`, `GMT`, `+09`, `+0900` or `+09:00`; `Z` if there
    /// is none.
    private static func takeOffset(from time: inout Substring) -> String {
        for name in ["Z", "z", "UTC", "GMT"] where time.hasSuffix(name) {
            time = time.dropLast(name.count).trimmingSpaces
            return "Z"
        }
        guard let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) else { return "Z" }
        let digits = time[sign...].dropFirst().filter { $0 != ":" }
        let offset =
            "\(time[sign])\(digits.prefix(2)):\(digits.count == 2 ? "00" : digits.dropFirst(2))"
        time = time[..<sign].trimmingSpaces
        return offset
    }
}
