import BroadsheetKit

/// Loads the pictures of rows: those in view first, and none where the user saves data.
final class PictureQueue: Sendable {
    private let queue = NetworkQueue(
        width: 4, pausing: ["pictures": [.offline, .constrained]])

    func load(_ picture: @escaping @Sendable () async -> NetworkOperation.Outcome)
        -> NetworkOperation
    {
        let operation = NetworkOperation(group: "pictures", picture)
        queue.add(operation)
        return operation
    }

    func rowDidAppear(_ picture: NetworkOperation) { queue.setPriority(.high, of: picture) }
    func rowDidDisappear(_ picture: NetworkOperation) { queue.setPriority(.low, of: picture) }

    /// Called when the app learns of it; on Apple's platforms by `NetworkConditions.changes`.
    func networkDidChange(to conditions: NetworkConditions) {
        queue.conditions = conditions
        queue.width = conditions.contains(.expensive) ? 2 : 4
    }
}
