import HTTP

/// A cached response.
struct CachedResponse: Sendable {
    var fields: HTTPFields
    let bytes: [UInt8]
    /// When the backend last said so (`ClientEnvironment.now`), and how old it was then.
    var confirmed: Duration
    var ageThen: Duration
    /// How long it may be used without revalidation; `nil` for not at all.
    var lifetime: Duration?
    let generation: Int
    var lastUse = 0
    var cost = 0

    /// `nil` for a response that must not or need not be stored (RFC 9111 §3).
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

    /// The copy after the backend has validated it (RFC 9111 §4.3.4).
    func confirmed(by new: HTTPFields, generation: Int, now: Duration) -> CachedResponse? {
        var (merged, new) = (fields, new)
        new.remove(.contentLength)
        merged.replace(by: new)
        return CachedResponse(merged, bytes, generation: generation, now: now)
    }
}

/// What `Cache-Control` and `Age` say to a private cache (RFC 9111 §5).
struct CacheControl {
    let forbidsStorage: Bool
    /// `nil` if each use requires revalidation.
    let lifetime: Duration?

    init(_ fields: HTTPFields) {
        var seconds: Int64?
        var (forbidsStorage, mustAsk) = (false, false)
        var text: [UInt8] = []
        fields.withEachElement(of: .cacheControl) { directive in
            text.removeAll(keepingCapacity: true)
            // Invariant: `text` is the part before `index`, in lower case.
            for index in 0..<directive.count {
                let byte = directive[index]
                guard byte > 0x20, byte != UInt8(ascii: "\"") else { continue }
                text.append((65...90).contains(byte) ? byte | 0x20 : byte)
            }
            if text == Self.noStore { forbidsStorage = true }
            if text == Self.noCache || text.starts(with: Self.noCacheOf) { mustAsk = true }
            if seconds == nil, text.starts(with: Self.maxAge) {
                seconds = Int64(String(decoding: text[Self.maxAge.count...], as: UTF8.self))
            }
        }
        self.forbidsStorage = forbidsStorage
        lifetime = mustAsk ? nil : seconds.flatMap { $0 > 0 ? .seconds($0) : nil }
    }

    private static let noStore = Array("no-store".utf8)
    private static let noCache = Array("no-cache".utf8)
    private static let noCacheOf = Array("no-cache=".utf8)
    private static let maxAge = Array("max-age=".utf8)

    static func age(_ fields: HTTPFields) -> Duration {
        .seconds(max(0, fields[.age].flatMap { Int64($0) } ?? 0))
    }
}
