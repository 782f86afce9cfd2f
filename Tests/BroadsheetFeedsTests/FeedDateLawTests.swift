import ArticleAPI
import Testing

@testable import BroadsheetFeeds

/// Times that are written in many layouts, and read again.
@Suite struct FeedDateLawTests {
    private static let english = [
        "January", "February", "March", "April", "May", "June", "July", "August", "September",
        "October", "November", "December",
    ]
    private static let french = [
        "janv.", "févr.", "mars", "avr.", "mai", "juin", "juil.", "août", "sept.", "oct.", "nov.",
        "déc.",
    ]
    private static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
    private static let frenchDays = ["dim.", "lun.", "mar.", "mer.", "jeu.", "ven.", "sam."]

    /// A local time, and how far it is from UTC.
    private struct Moment {
        let milliseconds: Int64
        let minutesEast: Int

        init(_ random: inout Xorshift) {
            // 1974 to 2029, in whole seconds.
            milliseconds = Int64(126_230_400 + random.next(1_735_000_000)) * 1_000
            minutesEast = [0, -300, 330, 540, -570, 60][random.next(6)]
        }

        private var text: String {
            let local = Timestamp(
                milliseconds: milliseconds + Int64(minutesEast) * 60_000)
            return local.description
        }
        private func part(_ start: Int, _ count: Int) -> String {
            String(text.dropFirst(start).prefix(count))
        }
        var weekday: Int {
            let days = (milliseconds + Int64(minutesEast) * 60_000) / 86_400_000
            return Int((days + 4) % 7)
        }

        func written(_ layout: String) -> String {
            let (hour, month, sign) = (
                Int(part(11, 2)) ?? 0, (Int(part(5, 2)) ?? 1) - 1, minutesEast < 0 ? "-" : "+"
            )
            let east = abs(minutesEast)
            func padded(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
            let parts = [
                "YYYY": part(0, 4), "YY": part(2, 2), "MM": part(5, 2), "DD": part(8, 2),
                "D": String(Int(part(8, 2)) ?? 0), "M": String(month + 1), "hh": part(11, 2),
                "h": String((hour + 11) % 12 + 1), "mm": part(14, 2), "ss": part(17, 2),
                "AM": hour < 12 ? "AM" : "PM", "a.m.": hour < 12 ? "a.m." : "p.m.",
                "Month": FeedDateLawTests.english[month],
                "Mon": String(FeedDateLawTests.english[month].prefix(3)),
                "mois": FeedDateLawTests.french[month], "Day": FeedDateLawTests.weekdays[weekday],
                "jour": FeedDateLawTests.frenchDays[weekday],
                "+0000": "\(sign)\(padded(east / 60))\(padded(east % 60))",
                "+00:00": "\(sign)\(padded(east / 60)):\(padded(east % 60))",
                "unix": String(milliseconds / 1_000), "millis": String(milliseconds),
            ]
            return layout.split(separator: "{").map { piece in
                guard let end = piece.firstIndex(of: "}") else { return String(piece) }
                return (parts[String(piece[..<end])] ?? "?") + piece[piece.index(after: end)...]
            }.joined()
        }
    }

    /// Layouts with an offset, which are always read.
    private static let whole = [
        "{Day}, {DD} {Mon} {YYYY} {hh}:{mm}:{ss} {+0000}",
        "{Day}, {D} {Month} {YYYY} {hh}:{mm}:{ss} {+00:00}",
        "{Day} {Mon} {D} {hh}:{mm}:{ss} {+0000} {YYYY}",
        "{Day},{DD} {Mon} {YYYY} {hh}:{mm}:{ss}{+0000}",
        "{DD}-{Mon}-{YYYY} {hh}:{mm}:{ss} {+0000}",
        "{Month} {D}, {YYYY} {h}:{mm}:{ss} {AM} {+0000}",
        "{Mon}. {D}, {YYYY}, {h}:{mm}:{ss} {a.m.} {+00:00}",
        "{Day}, {DD} {Mon} {YYYY} {h}:{mm}:{ss}{AM} {+0000}",
        "{YYYY}-{MM}-{DD}T{hh}:{mm}:{ss}{+00:00}", "{YYYY}-{M}-{D} {hh}:{mm}:{ss} {+0000}",
        "{YYYY}-{MM}-{DD}T{hh}:{mm}:{ss}{+00:00}Z",
        "{YYYY}-{MM}-{DD}T{hh}:{mm}:{ss}{+00:00}[Area/Place]",
        "{YYYY}/{MM}/{DD} {hh}:{mm}:{ss} {+0000}", "{YYYY}{MM}{DD}T{hh}{mm}{ss}{+0000}",
        "{Day}, {DD} {Mon} {YYYY} {hh}:{mm}:{ss} GMT{+00:00}",
        "{DD}.{MM}.{YYYY} {hh}:{mm}:{ss} {+0000}",
        "{YYYY}年{MM}月{DD}日 {hh}:{mm}:{ss} {+0000}",
        "{jour}, {DD} {mois} {YYYY} {hh}:{mm}:{ss} {+0000}",
        "{hh}:{mm}:{ss} {+0000} {D} {Month} {YYYY}", "{unix}", "{millis}",
        "{YYYY}-{MM}-{DD} {hh}:{mm}:{ss} (UTC{+00:00})",
    ]
    /// Layouts that are only read where the day has one meaning.
    private static let uncertain = [
        "{MM}/{DD}/{YYYY} {hh}:{mm}:{ss} {+0000}", "{DD}/{MM}/{YYYY} {hh}:{mm}:{ss} {+0000}",
        "{DD}-{MM}-{YYYY} {hh}:{mm}:{ss} {+0000}", "{DD}.{MM}.{YY} {hh}:{mm}:{ss} {+0000}",
        "{Day}, {MM}/{DD}/{YYYY} - {hh}:{mm}:{ss} {+0000}",
        "{Day} {DD} {MM} {YYYY} {hh}:{mm}:{ss} {+0000}",
        "{MM}/{DD}/{YY} {h}:{mm}:{ss} {a.m.} {+0000}", "{YY}-{MM}-{DD} {hh}:{mm}:{ss} {+00:00}",
    ]

    @Test(arguments: whole) func `a time in a layout is read as it was`(layout: String) {
        var random = Xorshift(seed: 7)
        for _ in 0..<200 {
            let moment = Moment(&random)
            let text = moment.written(layout)
            #expect(FeedDate.parse(text)?.milliseconds == moment.milliseconds, "\(text)")
        }
    }

    @Test(arguments: uncertain)
    func `a time in an ambiguous layout is read as it was, or unknown`(layout: String) {
        var random = Xorshift(seed: 8)
        var known = 0
        for _ in 0..<200 {
            let moment = Moment(&random)
            let text = moment.written(layout)
            guard let time = FeedDate.parse(text) else { continue }
            known += 1
            #expect(time.milliseconds == moment.milliseconds, "\(text)")
        }
        #expect(known > 40)
    }

    @Test(arguments: whole + uncertain)
    func `an unknown word makes a time unknown`(layout: String) {
        var random = Xorshift(seed: 9)
        let text = Moment(&random).written(layout)
        for word in ["zzz", "QST", "+1x", "12:00", "2026"] {
            #expect(FeedDate.parse("\(text) \(word)") == nil, "\(text) \(word)")
        }
    }
}

private struct Xorshift {
    private var state: UInt64

    init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next(_ limit: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(limit))
    }
}
