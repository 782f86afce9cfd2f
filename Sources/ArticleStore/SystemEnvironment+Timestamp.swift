package import ArticleAPI
package import BroadsheetPlatform

extension SystemEnvironment {
    /// The wall clock, in whole milliseconds.
    package var now: Timestamp { Timestamp(milliseconds: wallNanoseconds() / 1_000_000) }

    /// A new id, made at `time`.
    package func newID<Subject>(at time: Timestamp) -> Identifier<Subject> {
        var generator = generator
        return Identifier(at: time, using: &generator)
    }
}
