extension Snapshot {
    /// Changes that a view makes at once, and the snapshot that it shows then.
    ///
    /// It is one `performBatchUpdates` of a collection or table view. Updates are a batch of their
    /// own, in which nothing else moves.
    public struct Batch: Sendable, Equatable {
        /// The content after the batch, which the data source has from now on.
        public let snapshot: Snapshot
        /// From the snapshot of the batch before.
        public let difference: Difference
    }

    /// The batches that lead a view from `old` to this snapshot, in their order; none if both are
    /// equal.
    ///
    /// No batch mixes what UIKit rejects: items never leave a section, or come into one, in the
    /// batch in which that is removed, inserted or moved. There are at most two batches if the
    /// sections remain the same, and five otherwise.
    ///
    /// ```swift
    /// for batch in after.batches(from: before) { shown.append(batch.snapshot.itemCount) }
    /// ```
    ///
    /// On iOS, tvOS and visionOS, `collectionView.apply(_:from:show:)` carries them out.
    public func batches(from old: Snapshot) -> [Batch] {
        let updated = updating(old)
        var stages = [updated]
        if updated.groups.map(\.id) != groups.map(\.id) {
            let removed = updated.keeping { places[$0.id] != nil }
            let former = removed.groups.filter { index(of: $0.id) == nil }
            let arranged = groups.map { group in
                let items = removed.index(of: group.id).map { removed.groups[$0].items } ?? []
                return Group(section: group.section, items: items)
            }
            let emptied = former.map { Group(section: $0.section, items: []) }
            stages += [removed, Snapshot(arranged + former), Snapshot(groups + emptied)]
        }
        stages.append(self)
        var batches: [Batch] = []
        var last = old
        for stage in stages {
            let difference = stage.difference(from: last)
            if !difference.isEmpty {
                batches.append(Batch(snapshot: stage, difference: difference))
            }
            last = stage
        }
        return batches
    }

    /// The old snapshot with the contents of this one, as far as it has the sections and items.
    private func updating(_ old: Snapshot) -> Snapshot {
        Snapshot(
            old.groups.map { group in
                Group(
                    section: index(of: group.id).map { groups[$0].section } ?? group.section,
                    items: group.items.map { item in
                        places[item.id].map { groups[$0.section].items[$0.item] } ?? item
                    })
            })
    }

    private func keeping(_ isKept: (Item) -> Bool) -> Snapshot {
        Snapshot(groups.map { Group(section: $0.section, items: $0.items.filter(isKept)) })
    }

    /// The items and sections that are in both snapshots, and whose contents have changed.
    package func changed(
        from old: Snapshot
    ) -> (sections: [Section.ID], items: [Item.ID]) {
        var (sections, items): ([Section.ID], [Item.ID]) = ([], [])
        for step in updating(old).difference(from: old).steps {
            switch step {
            case .updateSection(let section, _): sections.append(section.id)
            case .updateItem(let item, _): items.append(item.id)
            default: break
            }
        }
        return (sections, items)
    }
}
