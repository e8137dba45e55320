package demo

// town is a real town with the beginning of its postal codes and an area code.
type town struct {
	city, jurisdiction, postal, areaCode string
	weight                               int // about how many of 1,000 agents live there
}

func (t town) country() string { return t.jurisdiction[:2] }

// newTowns lists every town as often as its weight says, so that a uniform pick
// is a weighted one.
func newTowns() []town {
	var all []town
	for _, t := range towns {
		for range t.weight {
			all = append(all, t)
		}
	}
	return all
}

// elsewhere returns a town of the same country in another jurisdiction.
func (b *builder) elsewhere(home town) town {
	for {
		t := pick(b.dice, b.towns)
		if t.country() == home.country() && t.jurisdiction != home.jurisdiction {
			return t
		}
	}
}

var towns = []town{
	{"Birmingham", "US-AL", "352", "205", 9}, {"Huntsville", "US-AL", "358", "256", 5},
	{"Anchorage", "US-AK", "995", "907", 2},
	{"Phoenix", "US-AZ", "850", "602", 16}, {"Tucson", "US-AZ", "857", "520", 6},
	{"Little Rock", "US-AR", "722", "501", 9},
	{"Los Angeles", "US-CA", "900", "213", 40}, {"San Diego", "US-CA", "921", "619", 24},
	{"Sacramento", "US-CA", "958", "916", 20}, {"Fresno", "US-CA", "937", "559", 14},
	{"Denver", "US-CO", "802", "303", 12}, {"Colorado Springs", "US-CO", "809", "719", 5},
	{"Hartford", "US-CT", "061", "860", 10},
	{"Wilmington", "US-DE", "198", "302", 3},
	{"Washington", "US-DC", "200", "202", 2},
	{"Miami", "US-FL", "331", "305", 22}, {"Tampa", "US-FL", "336", "813", 18},
	{"Orlando", "US-FL", "328", "407", 16}, {"Jacksonville", "US-FL", "322", "904", 10},
	{"Atlanta", "US-GA", "303", "404", 24}, {"Savannah", "US-GA", "314", "912", 7},
	{"Honolulu", "US-HI", "968", "808", 4},
	{"Boise", "US-ID", "837", "208", 6},
	{"Chicago", "US-IL", "606", "312", 28}, {"Springfield", "US-IL", "627", "217", 9},
	{"Indianapolis", "US-IN", "462", "317", 14}, {"Fort Wayne", "US-IN", "468", "260", 6},
	{"Des Moines", "US-IA", "503", "515", 6}, {"Cedar Rapids", "US-IA", "524", "319", 3},
	{"Wichita", "US-KS", "672", "316", 5}, {"Topeka", "US-KS", "666", "785", 3},
	{"Louisville", "US-KY", "402", "502", 8}, {"Lexington", "US-KY", "405", "859", 5},
	{"New Orleans", "US-LA", "701", "504", 8}, {"Baton Rouge", "US-LA", "708", "225", 6},
	{"Portland", "US-ME", "041", "207", 4},
	{"Baltimore", "US-MD", "212", "410", 17},
	{"Boston", "US-MA", "021", "617", 14}, {"Worcester", "US-MA", "016", "508", 6},
	{"Detroit", "US-MI", "482", "313", 18}, {"Grand Rapids", "US-MI", "495", "616", 10},
	{"Minneapolis", "US-MN", "554", "612", 13}, {"Duluth", "US-MN", "558", "218", 3},
	{"Jackson", "US-MS", "392", "601", 8},
	{"Kansas City", "US-MO", "641", "816", 9}, {"St. Louis", "US-MO", "631", "314", 9},
	{"Billings", "US-MT", "591", "406", 3},
	{"Omaha", "US-NE", "681", "402", 4}, {"Lincoln", "US-NE", "685", "402", 2},
	{"Las Vegas", "US-NV", "891", "702", 8}, {"Reno", "US-NV", "895", "775", 2},
	{"Manchester", "US-NH", "031", "603", 4},
	{"Newark", "US-NJ", "071", "973", 18}, {"Trenton", "US-NJ", "086", "609", 8},
	{"Albuquerque", "US-NM", "871", "505", 6},
	{"New York", "US-NY", "100", "212", 36}, {"Buffalo", "US-NY", "142", "716", 10},
	{"Rochester", "US-NY", "146", "585", 8},
	{"Charlotte", "US-NC", "282", "704", 18}, {"Raleigh", "US-NC", "276", "919", 13},
	{"Fargo", "US-ND", "581", "701", 2},
	{"Columbus", "US-OH", "432", "614", 14}, {"Cleveland", "US-OH", "441", "216", 11},
	{"Cincinnati", "US-OH", "452", "513", 9},
	{"Oklahoma City", "US-OK", "731", "405", 7}, {"Tulsa", "US-OK", "741", "918", 5},
	{"Portland", "US-OR", "972", "503", 9}, {"Eugene", "US-OR", "974", "541", 3},
	{"Philadelphia", "US-PA", "191", "215", 19}, {"Pittsburgh", "US-PA", "152", "412", 11},
	{"Harrisburg", "US-PA", "171", "717", 7},
	{"Providence", "US-RI", "029", "401", 3},
	{"Columbia", "US-SC", "292", "803", 9}, {"Charleston", "US-SC", "294", "843", 6},
	{"Sioux Falls", "US-SD", "571", "605", 3},
	{"Nashville", "US-TN", "372", "615", 10}, {"Memphis", "US-TN", "381", "901", 6},
	{"Knoxville", "US-TN", "379", "865", 4},
	{"Houston", "US-TX", "770", "713", 28}, {"Dallas", "US-TX", "752", "214", 26},
	{"San Antonio", "US-TX", "782", "210", 16}, {"Austin", "US-TX", "787", "512", 12},
	{"El Paso", "US-TX", "799", "915", 6},
	{"Salt Lake City", "US-UT", "841", "801", 10},
	{"Burlington", "US-VT", "054", "802", 2},
	{"Richmond", "US-VA", "232", "804", 14}, {"Norfolk", "US-VA", "235", "757", 10},
	{"Seattle", "US-WA", "981", "206", 16}, {"Spokane", "US-WA", "992", "509", 5},
	{"Charleston", "US-WV", "253", "304", 5},
	{"Milwaukee", "US-WI", "532", "414", 11}, {"Madison", "US-WI", "537", "608", 5},
	{"Cheyenne", "US-WY", "820", "307", 2},

	{"Toronto", "CA-ON", "M5V", "416", 16}, {"Ottawa", "CA-ON", "K1P", "613", 6},
	{"Montréal", "CA-QC", "H3B", "514", 9}, {"Québec", "CA-QC", "G1R", "418", 3},
	{"Vancouver", "CA-BC", "V6B", "604", 8},
	{"Calgary", "CA-AB", "T2P", "403", 6}, {"Edmonton", "CA-AB", "T5J", "780", 4},
	{"Winnipeg", "CA-MB", "R3C", "204", 3}, {"Halifax", "CA-NS", "B3J", "902", 2},
}
