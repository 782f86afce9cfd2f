public import ArticleAPI

extension ServerStatistics: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(
            version:startedAt:intervalSeconds:samples:current:database:search:certificates:
            webhooks:findings:),
        .required("version", \.version, .text(.line(1...100))),
        .required("startedAt", \.startedAt, .timestamp),
        .required("intervalSeconds", \.intervalSeconds, .count),
        .required("samples", \.samples, .array(of: Sample.format, limit: 1_000)),
        .required("current", \.current, Sample.format),
        .required("database", \.database, Database.format),
        .required("search", \.search, Search.format),
        .required("certificates", \.certificates, .array(of: Certificate.format, limit: 1_000)),
        .required("webhooks", \.webhooks, .array(of: Webhook.format, limit: 1_000)),
        .required("findings", \.findings, .array(of: Finding.format, limit: 1_000)))
}

extension JSONCodec where Value == Int {
    fileprivate static var count: JSONCodec { .integer(0...Int.max) }
}

extension ServerStatistics.Sample: JSONModel {
    public static let shape = ObjectCodec(
        {
            (
                at: Timestamp, requests: Int, errors: Int, p50: Double?, p99: Double?,
                cacheHits: Int, writes: Int, connections: Int, streams: Int, queuedReads: Int,
                queuedWrites: Int, queuedRenderings: Int, queuedCompressions: Int,
                memoryBytes: Int?
            ) in
            var sample = Self(at: at)
            (sample.requests, sample.errors) = (requests, errors)
            (sample.p50Milliseconds, sample.p99Milliseconds) = (p50, p99)
            (sample.cacheHits, sample.writes) = (cacheHits, writes)
            (sample.connections, sample.streams) = (connections, streams)
            (sample.queuedReads, sample.queuedWrites) = (queuedReads, queuedWrites)
            (sample.queuedRenderings, sample.queuedCompressions) =
                (queuedRenderings, queuedCompressions)
            sample.memoryBytes = memoryBytes
            return sample
        },
        .required("at", \.at, .timestamp),
        .required("requests", \.requests, .count),
        .required("errors", \.errors, .count),
        .optional("p50Milliseconds", \.p50Milliseconds, .number),
        .optional("p99Milliseconds", \.p99Milliseconds, .number),
        .required("cacheHits", \.cacheHits, .count),
        .required("writes", \.writes, .count),
        .required("connections", \.connections, .count),
        .required("streams", \.streams, .count),
        .required("queuedReads", \.queuedReads, .count),
        .required("queuedWrites", \.queuedWrites, .count),
        .required("queuedRenderings", \.queuedRenderings, .count),
        .required("queuedCompressions", \.queuedCompressions, .count),
        .optional("memoryBytes", \.memoryBytes, .count))
}

extension ServerStatistics.Database: JSONModel {
    public static let shape = ObjectCodec(
        Self.init, .optional("bytes", \.bytes, .count), .optional("logBytes", \.logBytes, .count))
}

extension ServerStatistics.Search: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("documents", \.documents, .count),
        .required("bytes", \.bytes, .count),
        .required("progress", \.progress, .fraction),
        .required("lagSeconds", \.lagSeconds, .number))
}

extension ServerStatistics.Certificate: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("file", \.file, .text(.lines(0...1_000))),
        .required("notBefore", \.notBefore, .timestamp),
        .required("notAfter", \.notAfter, .timestamp))
}

extension ServerStatistics.Webhook: JSONModel {
    public static let shape = ObjectCodec(
        Self.init(number:host:delivered:failed:resets:failingSeconds:pendingChanges:),
        .required("number", \.number, .count),
        .required("host", \.host, .text(.lines(0...1_000))),
        .required("delivered", \.delivered, .count),
        .required("failed", \.failed, .count),
        .required("resets", \.resets, .count),
        .required("failingSeconds", \.failingSeconds, .number),
        .optional("pendingChanges", \.pendingChanges, .count))
}

extension ServerStatistics.Finding: JSONModel {
    public static let shape = ObjectCodec(
        Self.init,
        .required("subject", \.subject, .text(.lines(0...1_000))),
        .required("level", \.level, .text(.token(1...16))),
        .required("found", \.found, .text(.lines(0...10_000))),
        .optional("advice", \.advice, .text(.lines(0...10_000))))
}
