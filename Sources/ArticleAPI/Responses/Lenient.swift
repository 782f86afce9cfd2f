/// A list without the items that cannot be decoded: one bad item does not hide the others.
///
/// `Lenient<[Note]>` and `Lenient<Page<Article>>` can be the `Item` of a request. Where a list is
/// expected, its bad items are left out and reported, in `leftOut` and by an event of the service;
/// lists within items have to be complete, so that no item is changed by it. Other faults throw.
///
/// ```swift
/// struct FetchRemindersRequest: BackendAPIRequest {
///     static let endpoint = Endpoint(.get, "/v1/reminders", access: .everyone)
///     typealias Item = Lenient<[Note]>
///     static let parameters = Parameters(Self.init)
/// }
/// ```
///
/// `Lenient.Request` makes a request of the contract lenient.
public struct Lenient<Value: JSONRepresentable>: ResponseItem {
    public var value: Value
    /// An error for each item that was left out, with its path, such as `$.items[3].title`.
    public let leftOut: [ResponseMapperError]

    /// A response that a stub sends, or that was decoded otherwise.
    public init(_ value: Value, leftOut: [ResponseMapperError] = []) {
        self.value = value
        self.leftOut = leftOut
    }

    public static var encoding: ResponseEncoding<Lenient> {
        let format = Value.format
        return ResponseEncoding(
            kind: .json(format.schema), mediaType: "application/json",
            writeBody: { format.bytes(of: $0.value, $1, capacity: $2) },
            read: { (bytes) throws(ResponseMapperError) in
                let scanned = JSONParser.scan(bytes, limitValues: JSONParser.limitValues) {
                    format.scan(&$0)
                }
                if let scanned { return Lenient(scanned) }
                var reader = JSONReader.leavingOutItems
                let value = try format.read(bytes, &reader)
                return Lenient(value, leftOut: reader.leftOut.map { ResponseMapperError($0) })
            },
            leftOut: { $0.leftOut })
    }
}

extension Lenient: Equatable where Value: Equatable {}
extension Lenient: Hashable where Value: Hashable {}
