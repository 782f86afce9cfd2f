/// Writes the attributes of an object, one after the other in the order of its codec, and leaves
/// out those that were not selected.
///
/// The names are the JSON texts of the names, with their colons.
struct AttributeWriter {
    private let plan: FieldPlan?
    /// The position of the latest attribute in the codec.
    private var place = -1
    /// The ends of attributes that are written as members of no object, without commas.
    private var ends: [Int]?

    init(_ plan: FieldPlan?) { self.plan = plan }

    /// A writer of this number of attributes, without commas between them.
    init(members count: Int) {
        plan = nil
        ends = []
        ends?.reserveCapacity(count)
    }

    /// Returns the end of each attribute, after the last one was written.
    mutating func finish(_ writer: JSONWriter) -> [Int] {
        ends?.append(writer.bytes.count)
        return ends ?? []
    }

    /// Goes on to the next attribute.
    @inline(__always)
    private mutating func advance(_ writer: inout JSONWriter) {
        place += 1
        guard ends != nil else { return }
        writer.beginSequence()
        if place > 0 { ends?.append(writer.bytes.count) }
    }

    @inline(__always)
    private func begins(_ name: StaticString, _ writer: inout JSONWriter) -> Bool {
        if let plan, plan.leavesOut(place) { return false }
        writer.name(
            written: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
        return true
    }

    @inline(__always)
    mutating func write(
        _ name: StaticString, to writer: inout JSONWriter, _ write: (inout JSONWriter) -> Void
    ) {
        advance(&writer)
        if begins(name, &writer) { write(&writer) }
    }

    /// An attribute that may be absent.
    @inline(__always)
    mutating func write<Value>(
        _ name: StaticString, _ value: Value?, to writer: inout JSONWriter,
        _ write: (inout JSONWriter, Value) -> Void
    ) {
        advance(&writer)
        if let value, begins(name, &writer) { write(&writer, value) }
    }

    /// An object that may be absent.
    @inline(__always)
    mutating func write<Value>(
        _ name: StaticString, _ value: Value?, _ codec: ObjectCodec<Value>,
        to writer: inout JSONWriter
    ) {
        advance(&writer)
        if let value, begins(name, &writer) { codec.write(value, plan?.inside(place), to: &writer) }
    }

    /// An array of objects, whose attributes are written in turn.
    @inline(__always)
    mutating func writeAll<Value>(
        _ name: StaticString, _ values: [Value], to writer: inout JSONWriter,
        _ write: (Value, FieldPlan?, inout JSONWriter) -> Void
    ) {
        advance(&writer)
        guard begins(name, &writer) else { return }
        let plan = plan?.inside(place)
        writer.array { writer in
            for value in values {
                writer.element()
                writer.object { write(value, plan, &$0) }
            }
        }
    }
}
