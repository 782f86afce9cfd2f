import CBroadsheetPostgres

/// The parameters of a statement, in binary form.
struct PostgresParameters: ~Copyable {
    private struct Parameter {
        var type: Oid = 0
        /// In `bytes`; `nil` for NULL.
        var range: Range<Int>?
    }

    private var parameters: [Parameter]
    /// All values, one after the other. The first byte belongs to none, so that there is an address
    /// even for empty values.
    private var bytes: [UInt8] = [0]

    /// The types that the store uses (`pg_type.dat`). PostgreSQL infers the type of a parameter
    /// that was never bound.
    enum Kind: Oid {
        case bytes = 17
        case listOfBytes = 1001
        case integer = 20
        case integers = 1016
        case text = 25
        case real = 701
    }

    /// - Parameter occurrences: for each parameter, true if it occurs in the statement: PostgreSQL
    ///   cannot infer the type of one that does not.
    init(_ occurrences: [Bool]) {
        parameters = occurrences.map { Parameter(type: $0 ? 0 : Kind.integer.rawValue) }
    }

    var types: [Oid] { parameters.map(\.type) }

    mutating func clear() {
        for index in parameters.indices { parameters[index].range = nil }
        bytes.removeSubrange(1...)
    }

    /// - Parameter index: from 1.
    mutating func set(_ index: Int32, _ kind: Kind, _ value: UnsafeRawBufferPointer?) {
        let start = bytes.count
        if let value { bytes.append(contentsOf: value) }
        parameters[Int(index) - 1] = Parameter(
            type: kind.rawValue, range: value == nil ? nil : start..<bytes.count)
    }

    /// Lends the arrays that libpq wants: their count, addresses, lengths and formats.
    func lend<Result>(
        _ body: (
            Int32, UnsafePointer<UnsafePointer<CChar>?>, UnsafePointer<Int32>,
            UnsafePointer<Int32>
        ) -> Result
    ) -> Result {
        bytes.withUnsafeBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
            let values = parameters.map { parameter in
                parameter.range.flatMap { range in base.map { UnsafePointer($0 + range.lowerBound) }
                }
            }
            let lengths = parameters.map { Int32($0.range?.count ?? 0) }
            let formats = [Int32](repeating: 1, count: parameters.count)
            return body(Int32(parameters.count), values, lengths, formats)
        }
    }
}
