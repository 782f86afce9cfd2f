import BroadsheetPlatform

/// Tasks that run beside the servers until they are ended.
final class ServiceTasks: Sendable {
    private let tasks = Lock<[(name: String, task: Task<Void, Never>)]>([])

    func start(_ name: String, _ body: @escaping @Sendable () async -> Void) {
        let task = UnstructuredTask.start(body)
        tasks.withLock { $0.append((name, task)) }
    }

    /// Cancels the tasks but for those with these names, and waits for them, but not for longer
    /// than this.
    ///
    /// - Returns: The names of those that are left behind.
    func end(withinSeconds seconds: Double, but kept: Set<String> = []) async -> [String] {
        let tasks = tasks.withLock { tasks in
            let ending = tasks.filter { !kept.contains($0.name) }
            tasks.removeAll { !kept.contains($0.name) }
            return ending
        }
        for (_, task) in tasks { task.cancel() }
        return await withTaskGroup(of: String?.self) { group in
            for (name, task) in tasks {
                group.addTask {
                    let hasEnded = await TimeLimit.finishes(withinSeconds: seconds) {
                        await task.value
                    }
                    return hasEnded ? nil : name
                }
            }
            var left: [String] = []
            for await name in group { if let name { left.append(name) } }
            return left.sorted()
        }
    }
}
