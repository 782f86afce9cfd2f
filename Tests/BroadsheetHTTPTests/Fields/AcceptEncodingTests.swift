import BroadsheetHTTP
import Testing

@Suite struct AcceptEncodingTests {
    @Test(
        arguments: [
            ([], false), ([""], false), (["gzip"], true), (["x-gzip"], true), (["GZIP"], true),
            (["deflate, gzip;q=1.0, *;q=0.5"], true), (["gzip, deflate, br, zstd"], true),
            (["br"], false), (["identity"], false), (["*"], true), (["*;q=0"], false),
            // Rejected, and weighted below identity.
            (["gzip;q=0"], false), (["gzip;q=0.000"], false), (["gzip;q=0, *"], false),
            (["gzip;q=0.5, identity"], false), (["gzip;q=0.5, identity;q=0.5"], true),
            (["identity;q=1, *;q=0.5"], false), (["identity;q=0.2, gzip;q=0.3"], true),
            // Identity is rejected: gzip if it is acceptable, otherwise the unencoded response.
            (["identity;q=0"], false), (["identity;q=0, gzip"], true), (["identity;q=0, *"], true),
            (["identity;q=0, gzip;q=0"], false),
            // Fields of one name form one list; empty elements are ignored.
            (["br", "gzip"], true), ([" , gzip ,, "], true), (["gzip\t ; Q=1"], true),
        ] as [([String], Bool)])
    func `weights decide whether a response may be compressed`(values: [String], takes: Bool) {
        var fields = HTTPFields()
        for value in values { fields.append(.acceptEncoding, value) }
        #expect(AcceptEncoding(fields).prefersGzip == takes)
    }

    @Test(arguments: [
        "gzip;q=2", "gzip;q=1.001", "gzip;q=", "gzip;q=.5", "gzip;q=0.1234", "gzip;q=1.1.1",
        "gzip;q=0..5", "gzip;q=-1", "gzip ; q=x ",
    ])
    func `an invalid weight counts`(value: String) {
        #expect(AcceptEncoding([.acceptEncoding: value]).prefersGzip)
    }

    @Test(arguments: [
        "gzip;q", "gzip;level=9", "gzip x", "gzipped", "gzi", ";q=1", "gzip;q=0,5", "gzip;q=1 x",
    ])
    func `invalid elements are ignored`(value: String) {
        #expect(!AcceptEncoding([.acceptEncoding: value]).prefersGzip)
        #expect(AcceptEncoding([.acceptEncoding: "\(value), x-gzip"]).prefersGzip)
    }
}
