import BroadsheetHTTP
import Testing

@Suite struct CacheControlTests {
    @Test(
        arguments: [
            ("max-age=60", false, 60), ("MAX-AGE = \"60\"", false, 60), ("max-age=+60", false, 60),
            ("max-age=0", false, nil), ("max-age=", false, nil), ("max-age=x, max-age=5", false, 5),
            ("max-age", false, nil), ("max-ages=60", false, nil), ("public, No-Store", true, nil),
            ("no-store=x", false, nil), ("no-storage, max-age=1", false, 1),
            ("max-age=60, no-cache", false, nil), ("max-age=60, no-cache=\"Age\"", false, nil),
            ("max-age=60, no-cached", false, 60), ("", false, nil),
        ] as [(String, Bool, Int64?)])
    func `directives are read in any case, with white space and quotation marks`(
        _ text: String, _ forbidsStorage: Bool, _ seconds: Int64?
    ) {
        let control = CacheControl([.cacheControl: text])
        #expect(control.forbidsStorage == forbidsStorage)
        #expect(control.lifetimeSeconds == seconds)
    }
}
