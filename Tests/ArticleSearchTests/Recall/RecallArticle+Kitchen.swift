extension RecallArticle {
    /// Cooking and baking.
    static let kitchenTexts = [
        """
        sourdough baking bread
        Sourdough starter from scratch
        Flour, water and a week of patience.
        Feed the starter every day with equal parts of flour and water. When it doubles within six
        hours, it can raise a loaf. Rye flour helps in the beginning.
        """,
        """
        ryebread baking bread
        Dense rye bread with caraway
        A loaf that keeps for a week.
        Mix rye flour, salt, caraway and starter. Bake the loaf hot for twenty minutes, then lower
        the temperature. Wait a day before you cut it.
        """,
        """
        crepes baking breakfast
        Crêpes like in Brittany
        Thin, lacy and folded around salted butter.
        Rest the batter for an hour. A crêpe pan must be hot; wipe it with butter, and pour little
        batter. Serve with jam or with ham and cheese.
        """,
        """
        kimchi korean fermentation
        배추김치 담그는 법
        절이기부터 숙성까지
        배추를 소금에 여섯 시간 절이고, 고춧가루와 마늘, 젓갈로 양념을 만듭니다. 김치는 실온에서 하루 두었다가
        냉장고에 넣으세요.
        """,
        """
        kimchistew korean soup
        돼지고기 김치찌개
        묵은지로 끓이는 얼큰한 찌개
        묵은 김치를 돼지고기와 함께 볶다가 물을 붓고 푹 끓입니다. 두부는 마지막에 넣습니다.
        """,
        """
        bibimbap korean rice
        Bibimbap at home
        Rice, vegetables, an egg and gochujang.
        Season each vegetable on its own. A hot stone bowl gives the rice a crust. 비빔밥 needs
        sesame oil.
        """,
        """
        tomatoes vegetables sauce
        Slow tomato sauce
        Ripe tomatoes, an onion and an hour.
        Halve the tomatoes, add an onion and butter, and let them simmer. Cherries of the tomato
        family are sweeter in winter.
        """,
        """
        noodles korean summer
        여름에 먹는 비빔국수
        새콤달콤한 양념장 비율
        소면을 삶아 찬물에 헹구고, 고추장 두 숟갈에 식초와 설탕을 섞은 양념장으로 비빕니다.
        """,
        """
        knives tools
        Sharpening kitchen knives
        Whetstones, angles and a strop.
        Soak the stone, hold the knife at fifteen degrees, and draw it towards you. A sharp knife
        is safer than a dull one.
        """,
        """
        coffee drinks coffee
        커피 추출 온도와 분쇄도
        집에서 맛있는 드립 커피 내리기
        물 온도는 92도가 좋습니다. 원두를 굵게 갈수록 신맛이 강해집니다. 뜸 들이기는 30초면 충분합니다.
        """,
        """
        cheesecake baking dessert
        노오븐 치즈케이크
        오븐 없이 만드는 디저트
        크림치즈와 생크림을 섞고 젤라틴으로 굳힙니다. 바닥은 과자를 부수어 버터와 섞어 만듭니다.
        """,
        """
        curry vegetables spices
        A curry of chickpeas and spinach
        Thirty minutes, one pot.
        Toast cumin and coriander, add onions, ginger and chickpeas, and stir in the spinach at
        the end.
        """,
    ]
}
