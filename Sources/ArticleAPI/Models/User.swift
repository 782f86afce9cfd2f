/// A person with an account at the backend. A value; use it anywhere. See ``Article``.
public struct User: Sendable, Hashable, Identifiable {
    public typealias ID = Identifier<User>

    public var id: ID
}
