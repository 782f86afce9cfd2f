extension ObjectCodec {
    /// The members of a model's JSON object, one after another without commas, and where each of
    /// the attributes ends: where the one before it does if it has no value.
    package func members(of model: Model, capacity: Int) -> (text: [UInt8], ends: [Int]) {
        var writer = JSONWriter(capacity: capacity)
        var ends: [Int] = []
        ends.reserveCapacity(writes.count)
        for write in writes {
            writer.beginSequence()
            write(model, nil, &writer)
            ends.append(writer.bytes.count)
        }
        return (writer.bytes, ends)
    }

    /// The place of an attribute among `properties`; `nil` if there is none of this name.
    package func place(of name: String) -> Int? { names.position(of: name) }
}
