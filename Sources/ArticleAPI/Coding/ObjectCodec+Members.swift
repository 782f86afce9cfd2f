extension ObjectCodec {
    /// The members of a model's JSON object, one after another without commas, and where each of
    /// the attributes ends: where the one before it does if it has no value.
    package func members(of model: Model, capacity: Int) -> (text: [UInt8], ends: [Int]) {
        var writer = JSONWriter(capacity: capacity)
        if let writeAttributes {
            var attributes = AttributeWriter(members: writes.count)
            writeAttributes(model, &attributes, &writer)
            return (writer.bytes, attributes.finish(writer))
        }
        var ends: [Int] = []
        ends.reserveCapacity(writes.count)
        for write in writes {
            writer.beginSequence()
            write(model, nil, &writer)
            ends.append(writer.bytes.count)
        }
        return (writer.bytes, ends)
    }

    /// The same codec with a handwritten encoder of all attributes, in their order, for `members`.
    func writing(_ write: @escaping AttributeWrite) -> ObjectCodec {
        var codec = self
        codec.writeAttributes = write
        return codec
    }

    typealias AttributeWrite =
        @Sendable (Model, inout AttributeWriter, inout JSONWriter) -> Void

    /// The place of an attribute among `properties`; `nil` if there is none of this name.
    package func place(of name: String) -> Int? { names.position(of: name) }
}
