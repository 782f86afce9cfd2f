import ArticleAPI
import Glibc

/// Times as people in the user's time zone read them (`TZ`, or else the system's; tzset(3)).
enum LocalTime {
    // localtime_r(3) need not read the time zone itself.
    private static let zone: Void = { tzset() }()

    /// The offset of the time zone at a time in seconds, positive to the east.
    static func secondsFromGMT(_ time: Timestamp) -> Int { parts(time).tm_gmtoff }

    /// The day and the minute: `Mon 2026-11-23 09:30`.
    static func text(_ time: Timestamp) -> String {
        let parts = parts(time)
        let minute = String(local(time, parts).prefix("2026-11-23T09:30".count))
        let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
        return "\(days[Int(parts.tm_wday)]) \(minute.replacing("T", with: " "))"
    }

    /// The time of day: `09:30:12`.
    static func clock(_ time: Timestamp) -> String {
        let local = local(time, parts(time))
        return String(local.dropFirst("2026-11-23T".count).prefix("09:30:12".count))
    }

    private static func local(_ time: Timestamp, _ parts: tm) -> String {
        time.advanced(byMilliseconds: Int64(parts.tm_gmtoff) * 1_000).description
    }

    /// All times have a local form: none is so far away that its year overflows.
    private static func parts(_ time: Timestamp) -> tm {
        _ = zone
        var seconds = time_t(time.milliseconds / 1_000 - (time.milliseconds % 1_000 < 0 ? 1 : 0))
        var parts = tm()
        localtime_r(&seconds, &parts)
        return parts
    }
}
