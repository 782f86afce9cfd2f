/// A time zone that a date names: `GMT`, `EST`, `ET`, `America/New_York`.
struct TimeZoneName: Hashable {
    private let rule: Rule

    private enum Rule: Hashable {
        /// Minutes east of UTC.
        case fixed(Int)
        /// Standard or daylight time, as it is used in the United States; minutes east of UTC in
        /// winter.
        case american(Int)
    }

    /// `nil` if the name, in lower case, is unknown.
    init?(_ name: String) {
        if let minutes = Self.fixed[name] {
            rule = .fixed(minutes)
        } else if let minutes = Self.american[name] {
            rule = .american(minutes)
        } else {
            return nil
        }
    }

    /// Minutes east of UTC; `nil` if they depend on the date.
    var fixedMinutesEast: Int? { if case .fixed(let minutes) = rule { minutes } else { nil } }

    /// Minutes east of UTC at this local time; `nil` if they are not certain.
    func minutesEast(on day: CalendarDay, at clock: ClockTime) -> Int? {
        switch rule {
        case .fixed(let minutes): minutes
        case .american(let minutes):
            Self.isDaylightTime(day, clock).map { $0 ? minutes + 60 : minutes }
        }
    }

    /// Returns true if clocks in the United States show daylight time: since 2007, from the second
    /// Sunday in March to the first one in November, at 2:00 (15 U.S.C. §260a). `nil` in the hours
    /// that exist twice or not at all, and on earlier days on which the years since 1976 differ.
    private static func isDaylightTime(_ day: CalendarDay, _ clock: ClockTime) -> Bool? {
        guard day.year >= 1976 else { return nil }
        switch day.month {
        case 1, 2, 12: return false
        case 5...9: return true
        case _ where day.year < 2007: return nil
        case 4, 10: return true
        default: break
        }
        let isSpring = day.month == 3
        // The Sunday on this day, or the last one before it.
        let sunday = day.day - day.weekday
        let change = isSpring ? 8...14 : 1...7
        guard day.weekday == 0, change.contains(day.day) else {
            return (sunday >= change.lowerBound) == isSpring
        }
        let uncertain = isSpring ? 2 : 1
        return clock.hour == uncertain ? nil : (clock.hour > uncertain) == isSpring
    }

    private static let american = [
        "et": -300, "ct": -360, "mt": -420, "pt": -480, "america/new_york": -300,
        "america/chicago": -360, "america/denver": -420, "america/los_angeles": -480,
        "us/eastern": -300, "us/central": -360, "us/mountain": -420, "us/pacific": -480,
    ]

    /// The zones of RFC 822 §5.1 except the letters of the military, and others that are common in
    /// feeds. Of several zones with one name, it is the one that feeds mean.
    private static let fixed: [String: Int] = [
        "ut": 0, "gmt": 0, "utc": 0, "z": 0, "etc/gmt": 0, "etc/utc": 0, "wet": 0, "west": 60,
        "bst": 60, "wat": 60, "cet": 60, "met": 60, "mez": 60, "cest": 120, "mest": 120,
        "mesz": 120, "cat": 120, "sast": 120, "eet": 120, "eest": 180, "idt": 180, "msk": 180,
        "trt": 180, "eat": 180, "msd": 240, "gst": 240, "pkt": 300, "ist": 330, "npt": 345,
        "ict": 420, "wib": 420, "wita": 480, "wit": 540, "hkt": 480, "sgt": 480, "myt": 480,
        "pht": 480, "awst": 480, "jst": 540, "kst": 540, "acst": 570, "aest": 600, "chst": 600,
        "acdt": 630, "aedt": 660, "nzst": 720, "nzdt": 780, "ndt": -150, "nst": -210, "adt": -180,
        "brst": -120, "brt": -180, "art": -180, "clst": -180, "clt": -240, "ast": -240,
        "edt": -240, "vet": -240, "cot": -300, "pet": -300, "est": -300, "cdt": -300, "cst": -360,
        "mdt": -360, "mst": -420, "pdt": -420, "pst": -480, "akdt": -480, "akst": -540,
        "hst": -600, "asia/seoul": 540, "asia/tokyo": 540, "asia/shanghai": 480,
        "asia/singapore": 480, "asia/kolkata": 330,
    ]
}
