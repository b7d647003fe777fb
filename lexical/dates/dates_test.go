package dates_test

import (
	"strings"
	"testing"
	"time"

	"mneme/lexical/dates"
)

// now is a Sunday.
var now = time.Date(2026, time.November, 29, 14, 30, 0, 0, time.UTC)

const day = "2006-01-02"

// show returns the spans of a text as "from until". It joins the readings of an ambiguous
// span by "or".
func show(text string, spans []dates.Span) string {
	var shown []string
	for i, s := range spans {
		span := s.From.Format(day) + " " + s.Until.Format(day)
		if i > 0 && s.Ambiguous && spans[i-1].Start == s.Start {
			shown[len(shown)-1] += " or " + span
			continue
		}
		shown = append(shown, span)
	}
	return strings.Join(shown, "; ")
}

func read(text string) string { return show(text, dates.Read(text, nil, now)) }

// ends returns the span between two days, both included.
func ends(from, last string) string {
	until, err := time.Parse(day, last)
	if err != nil {
		panic(err)
	}
	return from + " " + until.AddDate(0, 0, 1).Format(day)
}

func on(d string) string { return ends(d, d) }

const (
	ninth     = "2026-07-09"
	yesterday = "2026-11-28"
)

var (
	july       = ends("2026-07-01", "2026-07-31")
	may        = ends("2026-05-01", "2026-05-31")
	thirdNinth = ends("2026-07-03", "2026-07-09")
	twoWeeks   = ends("2026-11-12", "2026-11-18")
	lastWeek   = ends("2026-11-16", "2026-11-22")
	lastMonth  = ends("2026-10-01", "2026-10-31")
	year2023   = ends("2023-01-01", "2023-12-31")
	summer     = ends("2026-06-01", "2026-08-31")
	summer2025 = ends("2025-06-01", "2025-08-31")
	tuesday    = on("2026-11-24")
	lastYear   = ends("2025-01-01", "2025-12-31")
)

// questions are questions and the spans that they name, in the stemmed languages and some
// others.
//
//nolint:misspell // not English
var questions = map[string][][2]string{
	"en": {
		{"what did I do on 9 July 2026?", on(ninth)}, {"July 9th, 2026", on(ninth)}, {"the 9th of July", on(ninth)}, {"on Jul 9, 2026", on(ninth)}, {"what was on 9 Jul?", on(ninth)}, {"last Tue", tuesday},
		{"from 3 to 9 July", thirdNinth}, {"July 3–9, 2026", thirdNinth}, {"between 3 and 9 July 2026", thirdNinth},
		{"between May and July 2026", ends("2026-05-01", "2026-07-31")}, {"between November and February 2026", ends("2025-11-01", "2026-02-28")},
		{"Where was John between August 11 and August 15 2023?", ends("2023-08-11", "2023-08-15")},
		{"in summer 2025", summer2025}, {"last summer", summer}, {"in the summer", summer}, {"winter 2025", ends("2024-12-01", "2025-02-28") + " or " + ends("2025-12-01", "2026-02-28")},
		{"what did we decide in May?", may}, {"early March 2026", ends("2026-03-01", "2026-03-31")}, {"in mid-August 2023", ends("2023-08-01", "2023-08-31")},
		{"what happened in 2023?", year2023}, {"2023", year2023}, {"in December", ends("2025-12-01", "2025-12-31")}, {"next December", ends("2026-12-01", "2026-12-31")},
		{"yesterday", on(yesterday)}, {"last night", on(yesterday)}, {"the day before yesterday", on("2026-11-27")}, {"today", on("2026-11-29")}, {"the day after tomorrow", on("2026-12-01")},
		{"what did we decide last Tuesday?", tuesday}, {"on Tuesday", tuesday}, {"next Tuesday", on("2026-12-01")}, {"last Sunday", on("2026-11-22")}, {"on Tuesday, 9 July 2026", on(ninth)},
		{"two weeks ago", twoWeeks}, {"three days ago", on("2026-11-26")}, {"a month ago", ends("2026-10-14", "2026-11-13")}, {"4 years ago", ends("2022-01-01", "2022-12-31")},
		{"last week", lastWeek}, {"last week Tuesday", on("2026-11-17")}, {"Tuesday last week", on("2026-11-17")}, {"a few days ago", ends("2026-11-24", "2026-11-27")}, {"in the last few weeks", ends("2026-10-25", "2026-11-29")}, {"from Monday to Friday", ends("2026-11-23", "2026-11-27")}, {"in a week", ends("2026-12-03", "2026-12-09")}, {"this week", ends("2026-11-23", "2026-11-29")}, {"last month", lastMonth}, {"this year", ends("2026-01-01", "2026-12-31")}, {"last weekend", ends("2026-11-21", "2026-11-22")},
		{"the last three days", ends("2026-11-26", "2026-11-29")}, {"the past week", ends("2026-11-22", "2026-11-29")}, {"in Q3 2025", ends("2025-07-01", "2025-09-30")}, {"last quarter", ends("2026-07-01", "2026-09-30")},
		{"since March", ends("2026-03-01", "2026-11-29")}, {"before 2023", "0001-01-01 2023-01-01"}, {"after July 2026", "2026-08-01 9999-12-31"},
		{"the week before August 3, 2023", ends("2023-07-27", "2023-08-02")}, {"two weeks before August 11, 2023", ends("2023-07-25", "2023-07-31")},
		{"last weekend before April 10, 2023", ends("2023-04-08", "2023-04-09")}, {"the Sunday before October 25, 2022", on("2022-10-23")},
		{"3 May and 9 July 2026", on("2026-05-03") + "; " + on(ninth)}, {"on 29 February", on("2024-02-29")},
	},
	"de": {
		{"Was war am 9. Juli 2026?", on(ninth)}, {"am 9. Juli", on(ninth)}, {"am 9.7.2026", on(ninth)}, {"Was war am 9.7.?", on(ninth)}, {"Was war am 3.–5. Mai?", ends("2026-05-03", "2026-05-05")}, {"vom 3. bis 9. Juli 2026", thirdNinth},
		{"vor zwei Wochen", twoWeeks}, {"vor ein paar Tagen", ends("2026-11-24", "2026-11-27")}, {"vor einigen Wochen", ends("2026-10-25", "2026-11-18")}, {"Was habe ich gestern gemacht?", on(yesterday)}, {"letzten Dienstag", tuesday}, {"letzten Monat", lastMonth}, {"im Sommer", summer}, {"Was haben wir im Mai beschlossen?", may},
		{"Was habe ich 2023 gemacht?", year2023}, {"im Jahr 2023", year2023}, {"3. Quartal 2025", ends("2025-07-01", "2025-09-30")}, {"zwischen Mai und Juli 2026", ends("2026-05-01", "2026-07-31")}, {"letzte Woche", lastWeek},
	},
	"fr": {
		{"le 9 juillet 2026", on(ninth)}, {"qu'est-ce que j'ai fait le 9 juillet ?", on(ninth)}, {"du 3 au 9 juillet", thirdNinth}, {"la semaine dernière", lastWeek}, {"qu'ai-je fait hier ?", on(yesterday)}, {"pendant l'hiver", ends("2025-12-01", "2026-02-28")}, {"il y a quelques jours", ends("2026-11-24", "2026-11-27")}, {"l'été dernier", summer},
		{"il y a deux semaines", twoWeeks}, {"le mois dernier", lastMonth}, {"mardi dernier", tuesday}, {"en 2023", year2023}, {"le 1er mai", on("2026-05-01")}, {"avant-hier", on("2026-11-27")}, {"les deux dernières semaines", ends("2026-11-15", "2026-11-29")},
		{"entre mai et juillet 2026", ends("2026-05-01", "2026-07-31")},
	},
	"es": {
		{"¿qué hice el 9 de julio de 2026?", on(ninth)}, {"el 9 de julio", on(ninth)}, {"del 3 al 9 de julio", thirdNinth}, {"¿qué hice hace tres días?", on("2026-11-26")}, {"hace dos semanas", twoWeeks}, {"¿qué hice ayer?", on(yesterday)},
		{"el martes pasado", tuesday}, {"la semana pasada", lastWeek}, {"el mes pasado", lastMonth}, {"en el verano de 2025", summer2025}, {"en mayo", may}, {"en el año 2023", year2023}, {"el año pasado", lastYear},
	},
	"pt": {
		{"o que fiz em 9 de julho de 2026?", on(ninth)}, {"no dia 9 de julho", on(ninth)}, {"há duas semanas", twoWeeks}, {"três dias atrás", on("2026-11-26")}, {"ontem", on(yesterday)}, {"na semana passada", lastWeek}, {"terça-feira passada", tuesday},
		{"no mês passado", lastMonth}, {"em maio", may}, {"em 2023", year2023}, {"no verão de 2025", summer2025}, {"de 3 a 9 de julho", thirdNinth},
	},
	"it": {
		{"cosa ho fatto il 9 luglio 2026?", on(ninth)}, {"il 9 luglio", on(ninth)}, {"dal 3 al 9 luglio", thirdNinth}, {"due settimane fa", twoWeeks}, {"l'altro ieri", on("2026-11-27")}, {"martedì scorso", tuesday}, {"la settimana scorsa", lastWeek},
		{"il mese scorso", lastMonth}, {"nell'estate 2025", summer2025}, {"a maggio", may}, {"nel 2023", year2023},
	},
	"ro": {
		{"ce am făcut pe 9 iulie 2026?", on(ninth)}, {"pe 9 iulie", on(ninth)}, {"de la 3 la 9 iulie", thirdNinth}, {"acum două săptămâni", twoWeeks}, {"luna trecută", lastMonth}, {"marțea trecută", tuesday}, {"săptămâna trecută", lastWeek},
		{"în vara lui 2025", summer2025}, {"în 2023", year2023}, {"anul trecut", lastYear}, {"aseară", on(yesterday)},
	},
	"nl": {
		{"wat deed ik op 9 juli 2026?", on(ninth)}, {"op 9 juli", on(ninth)}, {"van 3 tot 9 juli", thirdNinth}, {"twee weken geleden", twoWeeks}, {"gisteren", on(yesterday)}, {"vorige week", lastWeek}, {"afgelopen dinsdag", tuesday},
		{"vorige maand", lastMonth}, {"in de zomer van 2025", summer2025}, {"in 2023", year2023}, {"9-7-2026", on(ninth)},
	},
	"sv": {
		{"vad gjorde jag den 9 juli 2026?", on(ninth)}, {"den 9 juli", on(ninth)}, {"i går", on(yesterday)}, {"för två veckor sedan", twoWeeks}, {"förra veckan", lastWeek}, {"i tisdags", tuesday}, {"förra månaden", lastMonth}, {"sommaren 2025", summer2025},
		{"i fjol", lastYear}, {"från 3 till 9 juli", thirdNinth}, {"mellan maj och juli 2026", ends("2026-05-01", "2026-07-31")},
	},
	"da": {
		{"hvad lavede jeg den 9. juli 2026?", on(ninth)}, {"den 9. juli", on(ninth)}, {"i går", on(yesterday)}, {"for to uger siden", twoWeeks}, {"sidste uge", lastWeek}, {"sidste tirsdag", tuesday}, {"sidste måned", lastMonth}, {"i sommeren 2025", summer2025}, {"fra 3. til 9. juli", thirdNinth},
	},
	"no": {
		{"hva gjorde jeg 9. juli 2026?", on(ninth)}, {"den 9. juli", on(ninth)}, {"i går", on(yesterday)}, {"for to uker siden", twoWeeks}, {"forrige uke", lastWeek}, {"forrige tirsdag", tuesday}, {"forrige måned", lastMonth}, {"sommeren 2025", summer2025}, {"i fjor", lastYear},
	},
	"fi": {
		{"mitä tein 9. heinäkuuta 2026?", on(ninth)}, {"9. heinäkuuta", on(ninth)}, {"3.–9. heinäkuuta", thirdNinth}, {"eilen", on(yesterday)}, {"kaksi viikkoa sitten", twoWeeks}, {"viime viikolla", lastWeek}, {"viime tiistaina", tuesday},
		{"viime kuussa", lastMonth}, {"kesällä 2025", summer2025}, {"heinäkuussa", july}, {"vuonna 2023", year2023},
	},
	"hu": {
		{"mi volt 2026. július 9-én?", on(ninth)}, {"mit csináltam július 9-én", on(ninth)}, {"2026. 07. 09.", on(ninth)}, {"tegnap", on(yesterday)}, {"két hete", twoWeeks}, {"két héttel ezelőtt", twoWeeks}, {"múlt héten", lastWeek}, {"múlt kedden", tuesday},
		{"múlt hónapban", lastMonth}, {"2025 nyarán", summer2025}, {"júliusban", july}, {"2023-ban", year2023}, {"tavaly", lastYear}, {"tavaly nyáron", summer2025}, {"tavaly júliusban", ends("2025-07-01", "2025-07-31")}, {"július 3. és 9. között", thirdNinth},
	},
	"tr": {
		{"9 Temmuz 2026'da ne yaptım?", on(ninth)}, {"9 Temmuz'da ne oldu", on(ninth)}, {"dün", on(yesterday)}, {"iki hafta önce", twoWeeks}, {"geçen hafta", lastWeek}, {"geçen salı ne yaptım", tuesday}, {"geçen ay", lastMonth}, {"2025 yazında", summer2025},
		{"temmuzda", july}, {"2023 yılında", year2023}, {"2023'te", year2023}, {"geçen yıl", lastYear}, {"mart ayında ne oldu", ends("2026-03-01", "2026-03-31")}, {"martta ne yaptım", ends("2026-03-01", "2026-03-31")}, {"aralıkta", ends("2025-12-01", "2025-12-31")},
	},
	"ru": {
		{"что было 9 июля 2026 года?", on(ninth)}, {"9 июля", on(ninth)}, {"с 3 по 9 июля", thirdNinth}, {"вчера", on(yesterday)}, {"две недели назад", twoWeeks}, {"неделю назад", ends("2026-11-19", "2026-11-25")}, {"на прошлой неделе", lastWeek},
		{"что я делал в прошлый вторник", tuesday}, {"в прошлом месяце", lastMonth}, {"летом 2025", summer2025}, {"что было в мае?", may}, {"в 2023 году", year2023}, {"в прошлом году", lastYear},
	},
	"zh": {{"2026年7月9日我做了什么", on(ninth)}, {"昨天做了什么", on(yesterday)}, {"上周二我做了什么", tuesday}, {"两周前", twoWeeks}, {"去年夏天", summer2025}, {"去年7月", ends("2025-07-01", "2025-07-31")}, {"上个月", lastMonth}, {"2023年", year2023}, {"五月四日", on("2026-05-04")}, {"五月二十三日", on("2026-05-23")}},
	"ja": {{"2026年7月9日に何をした", on(ninth)}, {"昨日は何をしましたか", on(yesterday)}, {"先週", lastWeek}, {"三日前", on("2026-11-26")}, {"先週の火曜日", on("2026-11-17")}, {"去年の夏", summer2025}, {"先月", lastMonth}, {"7月に", july}},
	"ko": {{"2026년 7월 9일", on(ninth)}, {"어제 뭐 했어", on(yesterday)}, {"지난주에 뭐 했어", lastWeek}, {"2주 전", twoWeeks}, {"지난달", lastMonth}, {"7월에", july}},
}

func TestDatesAreReadInEachLanguage(t *testing.T) {
	for code, table := range questions {
		if len(table) < 6 {
			t.Errorf("%s has %d questions", code, len(table))
		}
		for _, q := range table {
			if got := read(q[0]); got != q[1] {
				t.Errorf("%s: %q is read as %q, want %q", code, q[0], got, q[1])
			}
		}
	}
}

func TestDatesInDigits(t *testing.T) {
	both := on("2026-09-07") + " or " + on(ninth)
	for _, c := range []struct{ text, zone, want string }{
		{"2026-07-09", "UTC", on(ninth)}, {"2026/07/09", "UTC", on(ninth)}, {"2026.07.09", "UTC", on(ninth)}, {"9.7.2026", "America/New_York", on(ninth)}, {"2026-07-09T10:00:00Z", "UTC", on(ninth)}, {"notes/2026-07-09.md", "UTC", ""},
		{"2026-07", "UTC", july}, {"07/2026", "UTC", july}, {"in 7/2026", "UTC", july}, {"2026-07-09.", "UTC", on(ninth)}, {"(2026-07-09)", "UTC", on(ninth)},
		{"7/9/2026", "UTC", both}, {"7/9/2026", "America/New_York", on(ninth)}, {"7/9/2026", "Europe/London", on("2026-09-07")}, {"7/9/2026", "America/Toronto", both}, {"7/13/2026", "Europe/London", on("2026-07-13")},
		{"13/7/2026", "America/New_York", on("2026-07-13")}, {"9/9/2026", "UTC", on("2026-09-09")}, {"qué hice el 7/9/2026", "America/New_York", on("2026-09-07")}, {"on 7/9", "America/New_York", on(ninth)}, {"7/9/26", "America/New_York", on(ninth)},
		{"2026-02-30", "UTC", ""}, {"31.6.2026", "UTC", ""}, {"29.2.2026", "UTC", ""}, {"29.2.2024", "UTC", on("2024-02-29")}, {"2019-2021", "UTC", ends("2019-01-01", "2021-12-31")},
	} {
		zone, err := time.LoadLocation(c.zone)
		if err != nil {
			t.Fatal(err)
		}
		if got := show(c.text, dates.Read(c.text, nil, now.In(zone))); got != c.want {
			t.Errorf("%q in %s is read as %q, want %q", c.text, c.zone, got, c.want)
		}
	}
}

func TestTextsWithoutDates(t *testing.T) {
	for _, text := range []string{
		"may I know who keeps bees?", "what does May keep?", "May Whitfield keeps bees", "a letter for May Whitfield", "option 3 may work", "cells may activate them", "the march of the penguins", "In March of the Penguins", "a march to the sea",
		"August Strindberg", "What does April like?", "June's birthday", "he sat in the sun", "what is the mon file", "a second opinion", "wed in the garden", "the library stays open on Sundays", "every Tuesday", "black friday deals", "the Friday rule",
		"is support open 24/7?", "7/9 done", "1/2 inhibitors", "1/2000 of them", "v1.2.3", "release 3.10.2 of the parser", "parser release 9.7.2026", "version 3.10.2024", "3.10.2", "it costs $9.99", "The ticket costs 24.7 euros", "$2023",
		"host 10.0.0.12", "172.20.8.31 subnet mask", "10.7.2026.1", "at 9:30", "from 9:30 to 10:15", "2023 units", "2000 patients", "in 2000 patients", "Cyberpunk 2077 game", "room 2023", "Windows 2000", "PostgreSQL 17", "5555555555554444", "020 7946 0018", "44-20-7946-0018",
		"FR7630006000011234567890189", "08-00-27-9a-c4-1e", "3be91c7f", "550e8400-e29b-41d4-a716-446655440000", "when did I change the winter tyres?", "summer dress", "in spring boot how do I configure beans", "plans for the summer", "spring framework",
		"where did I park the car?", "what do I drink now", "how many days a week does Marta work?", "at 52 weeks", "after 12 weeks of treatment", "the last day of school", "the last week of the trip", "a week has seven days", "the last time", "last name",
		"been to Rio de Janeiro?", "el marco temporal", "hoy en día", "wer ist hier?", "was mag Mo?", "wie heißt Sommers Katze", "Teatro de Verano", "mar y sol", "set 9 alarms", "out 5 of 7", "il va dans le sud", "mars attacks", "the planet mars", "多年来", "29 February 2026", "31 June 2026", "open Monday to Friday", "guten Morgen", "por la mañana", "il est tard, mais je viens", "mais 9 personnes", "Mardi Gras in New Orleans was fun", "who sang with Avril Lavigne?", "Placido Domingo sang", "Martin 5 apples", "is Marti at home?", "夏季剧院在哪里", "夏さん", "",
	} {
		if got := read(text); got != "" {
			t.Errorf("%q is read as %q", text, got)
		}
	}
}

func TestSpanProperties(t *testing.T) {
	text := "what about ¿9 July? and two weeks ago, 8/10/2026"
	spans := dates.Read(text, nil, now)
	if len(spans) != 4 {
		t.Fatalf("spans are %v", spans)
	}
	for i, want := range []dates.Span{
		{Precision: dates.Day, AnyYear: true}, {Precision: dates.Week, Relative: true}, {Precision: dates.Day, Ambiguous: true}, {Precision: dates.Day, Ambiguous: true},
	} {
		s := spans[i]
		if said := text[s.Start:s.End]; said != []string{"9 July", "two weeks ago", "8/10/2026", "8/10/2026"}[i] {
			t.Errorf("the words of span %d are %q", i, said)
		}
		if s.Precision != want.Precision || s.AnyYear != want.AnyYear || s.Relative != want.Relative || s.Ambiguous != want.Ambiguous {
			t.Errorf("span %d is %+v", i, s)
		}
	}
}

func TestAtMostFourSpans(t *testing.T) {
	if got := dates.Read("2021, in 2022, in 2023, in 2024, in 2025, on 3 May, on 4 May", nil, now); len(got) != 4 {
		t.Errorf("there are %d spans", len(got))
	}
	if got := dates.Read("this week, this week, and this week", nil, now); len(got) != 1 {
		t.Errorf("a span that was named before is there again: %v", got)
	}
}

func TestDaysFollowTheLocation(t *testing.T) {
	zone, err := time.LoadLocation("Pacific/Auckland")
	if err != nil {
		t.Fatal(err)
	}
	spans := dates.Read("yesterday", nil, now.In(zone)) // in zone it is the 30th
	if len(spans) != 1 || !spans[0].From.Equal(time.Date(2026, time.November, 29, 0, 0, 0, 0, zone)) {
		t.Errorf("yesterday is %v", spans)
	}
	if got := show("", dates.Read("last summer", nil, now.In(zone))); got != ends("2025-12-01", "2026-02-28") {
		t.Errorf("the last summer of the south is %s", got)
	}
}

func TestDaysOfTexts(t *testing.T) {
	filler := strings.Repeat("and so on in 1999, says the note of the year 2001, ", 3)
	for text, want := range map[string]string{
		"On 9 July 2026 the boiler was replaced": "9 July 2026=20260709", "2026-07-09": "2026-07-09=20260709", "den 9. juli 2026, og 10. juli 2026": "9. juli 2026=20260709 10. juli 2026=20260710",
		filler + "July 9th, 2026; " + filler + "13/7/2026": "July 9th, 2026=20260709 13/7/2026=20260713", "7/9/2026": "", "9.7.2026": "", "9 July": "", "July 2026": "", "yesterday in 2026": "", "31 June 2026": "",
		"2026年7月9日に": "2026年7月9日=20260709", "9 июля 2026 года": "9 июля 2026 года=20260709", "may 9 people in 2026": "",
	} {
		var found []string
		for _, d := range dates.Days(text) {
			found = append(found, text[d.Start:d.End]+"="+d.Digits())
		}
		if got := strings.Join(found, " "); got != want {
			t.Errorf("the days of %q are %q, want %q", text, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	for _, table := range questions {
		for _, q := range table {
			f.Add(q[0], "")
		}
	}
	f.Add("7/9/2026 or 9.7. or am 3.-5. Mai", "de")
	f.Fuzz(func(t *testing.T, text, code string) {
		var codes []string
		if code != "" {
			codes = []string{code}
		}
		spans := dates.Read(text, codes, now)
		if len(spans) > 4 {
			t.Errorf("there are %d spans", len(spans))
		}
		last := 0
		for _, d := range dates.Days(text) {
			if d.Start < last || d.Start >= d.End || d.End > len(text) {
				t.Errorf("a day is [%d, %d) of %d bytes behind %d", d.Start, d.End, len(text), last)
			}
			if time.Date(d.Year, time.Month(d.Month), d.Day, 0, 0, 0, 0, time.UTC).Day() != d.Day {
				t.Errorf("there is no day %s", d.Digits())
			}
			last = d.End
		}
		for i, s := range spans {
			if s.Start < 0 || s.Start >= s.End || s.End > len(text) || i > 0 && s.Start < spans[i-1].End && s.Start != spans[i-1].Start {
				t.Errorf("the span is [%d, %d) of %d bytes", s.Start, s.End, len(text))
			}
			if !s.From.Before(s.Until) {
				t.Errorf("it is from %s until %s", s.From, s.Until)
			}
		}
	})
}
