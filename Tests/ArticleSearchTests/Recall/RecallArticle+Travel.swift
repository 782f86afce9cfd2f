extension RecallArticle {
    /// Journeys.
    static let travelTexts = [
        """
        busan korea cities
        부산 2박 3일 여행 코스
        해운대, 감천문화마을, 자갈치 시장
        첫날은 해운대 바닷가를 걷고, 둘째 날은 감천문화마을에서 사진을 찍습니다. 시장에서 먹는 회가 싱싱합니다.
        """,
        """
        jeju korea hiking
        제주도 한라산 등산 후기
        성판악 코스로 백록담까지
        새벽 여섯 시에 출발해 네 시간 만에 정상에 올랐습니다. 겨울에는 아이젠이 꼭 필요합니다.
        """,
        """
        seoulfood korea food
        서울 골목 식당 지도
        을지로와 망원동의 작은 식당들
        점심시간에는 줄이 길어서 열한 시 반 전에 가는 것이 좋습니다. 현금만 받는 식당도 있습니다.
        """,
        """
        lisbon portugal cities
        Three slow days in Lisbon
        Trams, tiles and custard tarts.
        Ride tram 28 early in the morning. Climb to a viewpoint for sunset, and eat pastéis de
        nata while they are warm.
        """,
        """
        saopaulo brazil cities
        São Paulo for architects
        Concrete, curves and a rooftop.
        Start at the museum on the avenue, and walk down to the park. Buildings by Lina Bo Bardi
        are worth a detour.
        """,
        """
        tokyo japan cities
        東京の小さな喫茶店
        静かな朝に珈琲を飲む
        神保町の喫茶店は古い本の匂いがします。朝のトーストと珈琲で一日を始めましょう。
        """,
        """
        kyoto japan temples
        Kyoto's gardens in the rain
        Moss, gravel and fewer visitors.
        The moss garden glows when it rains. Temples open at nine; 京都 is quiet before that.
        """,
        """
        nighttrain europe trains
        Night trains across Europe
        Couchettes, seats and connections.
        Book a couchette three months ahead. Bring earplugs. The train from Vienna to Rome arrives
        in time for breakfast.
        """,
        """
        hiking alps hiking
        Hut-to-hut hiking in the Alps
        Six days with a light backpack.
        Huts have blankets, so leave the sleeping bag at home. Carry water, a map and a rain jacket.
        """,
        """
        camping gear camping
        캠핑 초보를 위한 준비물
        텐트, 침낭, 버너 고르기
        처음부터 비싼 텐트를 살 필요는 없습니다. 침낭은 밤 기온보다 5도 낮은 온도에 맞추세요.
        """,
        """
        airports flying
        Surviving a long layover
        Showers, naps and lounges in airports.
        Some airports rent rooms by the hour. Keep a change of clothes in your hand luggage.
        """,
        """
        bikes netherlands cycling
        Cycling along the Dutch coast
        Dunes, headwinds and herring.
        Follow the numbered junctions. Rent bicycles in Haarlem and return them in The Hague. Wind
        from the south-west is usual.
        """,
        """
        budget money planning
        How to plan a trip on a budget
        Fewer flights, more days.
        Cook where you stay, travel by bus, and visit museums on their free days. A budget needs a
        reserve of ten percent.
        """,
        """
        visa documents
        워킹홀리데이 비자 신청 후기
        서류 준비부터 승인까지 걸린 시간
        신체검사와 잔고 증명서를 먼저 준비하세요. 승인 메일은 3주 만에 왔습니다.
        """,
    ]
}
