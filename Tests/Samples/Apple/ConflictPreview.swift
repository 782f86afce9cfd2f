import BroadsheetKit
import BroadsheetTesting
import SwiftUI

/// Both versions of an article that two people have changed.
struct ConflictView: View {
    let entry: OutboxEntry

    var body: some View {
        if case .conflict(let theirs) = entry.status {
            VStack {
                Text([entry].overlay(on: entry.base)?.title ?? "You have deleted it.")
                Text(theirs?.title ?? "Somebody has deleted it.")
            }
        }
    }
}

struct ConflictPreviews: PreviewProvider {
    static var previews: some View {
        ConflictView(
            entry: .conflict(mine: .sample(title: "Mine"), theirs: .sample(title: "Theirs")))
        ConflictView(entry: .conflict(mine: nil, theirs: .sample(title: "Theirs")))
    }
}
