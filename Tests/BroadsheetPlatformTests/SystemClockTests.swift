import BroadsheetPlatform
import Glibc
import Testing

@Suite struct SystemClockTests {
    @Test(
        arguments: [
            (0, 0, 0), (1, 5, 1_000_000_005), (-1, 999_999_999, -1),
            (9_223_372_036, 854_775_807, .max), (9_223_372_036, 854_775_808, .max),
            (9_223_372_037, 0, .max), (.max, 999_999_999, .max),
            (-9_223_372_036, 0, -9_223_372_036 * 1_000_000_000),
            (-9_223_372_037, 999_999_999, .min), (.min, 0, .min),
        ] as [(Int, Int, Int64)])
    func `times that do not fit count as the first or the last that do`(
        seconds: Int, nanoseconds: Int, expected: Int64
    ) {
        let time = timespec(tv_sec: seconds, tv_nsec: nanoseconds)
        #expect(SystemClock.nanoseconds(time) == expected)
    }
}
