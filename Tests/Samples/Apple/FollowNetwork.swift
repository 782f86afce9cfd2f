import BroadsheetKit

/// Pauses and continues what waits for the network as the system sees it; ends with its task.
func followNetwork(_ queue: NetworkQueue, _ backend: BackendService) async {
    for await conditions in NetworkConditions.changes {
        queue.conditions = conditions
        backend.networkDidChange()
    }
}
