/// What did not go out at once of an answer. The body is not copied: many may wait for one.
struct Unsent {
    let head: [UInt8]
    let body: [UInt8]
    /// How many bytes of both are out.
    let start: Int

    var count: Int { head.count + body.count - start }
}
