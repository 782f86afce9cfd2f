import BroadsheetKit
import SwiftUI

struct BakingList: View {
    @Articles(tag: "baking") var articles

    var body: some View {
        List(articles) { Text($0.title) }
            .refreshable { await $articles?.refresh() }
    }
}
