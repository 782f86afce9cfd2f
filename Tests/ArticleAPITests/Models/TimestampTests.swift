import ArticleAPI
import Testing

/// Times as text.
struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1970-01-01T00:00:00.001Z", 1),
        ("1969-12-31T23:59:59.999Z", -1), ("2000-02-29T12:00:00Z", 951_825_600_000),
        ("2026-11-21T07:30:00.5+09:00", 1_795_213_800_500),
        ("2026-11-21t07:30:00.123999z", 1_795_246_200_123),
        ("0000-01-01T00:00:00Z", Timestamp.range.lowerBound),
        ("9999-12-31T23:59:59.999Z", Timestamp.range.upperBound),
    ])
    func `RFC 3339 times are parsed`(text: String, milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test(arguments: [
        "", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z",
        "2026-02-29T00:00:00Z", "1900-02-29T00:00:00Z", "2026-04-31T00:00:00Z",
        "2026-01-00T00:00:00Z", "2026-01-01T24:00:00Z", "2026-01-01T00:60:00Z",
        "2026-01-01T00:00:60Z", "2026-01-01T00:00:00.Z", "2026-01-01 00:00:00Z",
        "2026-01-01T00:00:00+0900", "2026-01-01T00:00:00+24:00", "2026-01-01T00:00:00+09:60",
        "2026-01-01T00:00:00Zx", "0000-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01",
        "+026-01-01T00:00:00Z", "2026-01-01T00:00:00.\(String(repeating: "0", count: 60))Z",
    ])
    func `other texts are not times`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test func `every day of four centuries survives a round trip`() {
        for day in 0..<(146_097 + 400) {
            let time = Timestamp(
                milliseconds: Int64(day - 100_000) * 86_400_000 + Int64(day) * 541 % 86_400_000)
            #expect(Timestamp(time.description) == time)
        }
    }
}
