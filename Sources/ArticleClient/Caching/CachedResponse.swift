import HTTP

/// A copy of an answer.
struct CachedResponse: Sendable {
    var fields: HTTPFields
    let bytes: [UInt8]
    /// When the backend last said so (`ClientEnvironment.now`), and how old it was then.
    var confirmed: Duration
    var ageThen: Duration
    /// How long it may be used without asking; `nil`: not at all.
    var lifetime: Duration?
    let generation: Int
    var lastUse = 0
    var cost = 0

    /// The copy; `nil` of an answer that must not or need not be kept (RFC 9111 §3).
    init?(
        _ fields: HTTPFields, _ bytes: [UInt8], generation: Int, now: Duration
    ) {
        let control = CacheControl(fields)
        let varies = fields.list(.vary, has: "*")
        guard !control.forbidsStorage, !varies, fields.contains(.etag) || control.lifetime != nil
        else { return nil }
        self.fields = fields
        self.bytes = bytes
        self.generation = generation
        confirmed = now
        ageThen = CacheControl.age(fields)
        lifetime = control.lifetime
    }

    var etag: String? { fields[.etag] }

    func age(now: Duration) -> Duration { ageThen + max(.zero, now - confirmed) }

    func isFresh(now: Duration) -> Bool {
        lifetime.map { age(now: now) < $0 } ?? false
    }

    /// The copy after the backend said that it still stands (RFC 9111 §4.3.4).
    func confirmed(by new: HTTPFields, generation: Int, now: Duration) -> CachedResponse? {
        var merged = HTTPFields()
        for (name, value) in fields.all {
            guard let name = HTTPFieldName(name), !new.contains(name) else { continue }
            merged.append(name, value)
        }
        for (name, value) in new.all {
            guard let name = HTTPFieldName(name), name != .contentLength else { continue }
            merged.append(name, value)
        }
        return CachedResponse(merged, bytes, generation: generation, now: now)
    }
}

/// What `Cache-Control` and `Age` say to a private cache (RFC 9111 §5).
struct CacheControl {
    let forbidsStorage: Bool
    /// `nil`: ask each time.
    let lifetime: Duration?

    init(_ fields: HTTPFields) {
        let bytes = (fields.combined(.cacheControl) ?? "").utf8
        var seconds: Int64?
        var (forbidsStorage, mustAsk) = (false, false)
        for directive in bytes.split(separator: UInt8(ascii: ",")) {
            let text = directive.lazy.filter { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
                .map { (65...90).contains($0) ? $0 | 0x20 : $0 }
            if text.elementsEqual("no-store".utf8) { forbidsStorage = true }
            if text.elementsEqual("no-cache".utf8) || text.starts(with: "no-cache=".utf8) {
                mustAsk = true
            }
            if seconds == nil, text.starts(with: "max-age=".utf8) {
                seconds = Int64(String(decoding: text.dropFirst(8), as: UTF8.self))
            }
        }
        self.forbidsStorage = forbidsStorage
        lifetime = mustAsk ? nil : seconds.flatMap { $0 > 0 ? .seconds($0) : nil }
    }

    static func age(_ fields: HTTPFields) -> Duration {
        .seconds(max(0, fields[.age].flatMap { Int64($0) } ?? 0))
    }
}
