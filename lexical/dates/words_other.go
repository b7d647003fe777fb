package dates

//nolint:misspell // not English
var finnish = words{
	language:     "fi",
	months:       "tammikuu,helmikuu,maaliskuu,huhtikuu,toukokuu,kesäkuu,heinäkuu,elokuu,syyskuu,lokakuu,marraskuu,joulukuu",
	monthEndings: "ta/n/ssa/sta/hun/lla/lle",
	weekdays:     "maanantai,tiistai,keskiviikko,torstai,perjantai,lauantai,sunnuntai",
	dayEndings:   "na/n/ta",
	days:         "toissapäivänä/toissa päivänä,eilen/eilisiltana/viime yönä,tänään/tänä iltana/tänä aamuna,huomenna,ylihuomenna",
	units:        "päivä/päivää/päivän/päivänä,viikko/viikkoa/viikon/viikolla,kuukausi/kuukautta/kuukauden/kuussa/kuukautena,vuosi/vuotta/vuoden/vuonna,viikonloppu/viikonloppuna/viikonlopun,neljännes/neljännesvuosi/kvartaali",
	fixed:        "viime vuonna,tänä vuonna,ensi vuonna",
	numbers:      "yksi/yhden,kaksi/kahden,kolme/kolmen,neljä/neljän,viisi/viiden,kuusi/kuuden,seitsemän,kahdeksan,yhdeksän,kymmenen,yksitoista,kaksitoista",
	seasons:      "~kevät/~kevään,~kesä/~kesän,~syksy/~syksyn,~talvi/~talven",
	inSeasons:    "keväällä/keväänä,kesällä/kesänä,syksyllä/syksynä,talvella/talvena",
	last:         "viime/edellinen/edellisellä/viimeisen/viimeisten", this: "tämä/tällä/tänä/tässä/tämän", next: "ensi/seuraava/seuraavalla",
	every:    "joka/jokainen/joka ikinen",
	agoAfter: "sitten",
	inAfter:  "kuluttua/päästä",
	in:       "vuonna/päivänä/aikana/alkaen/lähtien/asti",
	of:       "vuonna/vuoden/päivänä/päivä",
	from:     "", to: "ja", between: "", and: "ja", betweenAfter: "välillä/välisenä aikana",
	before: "ennen", after: "jälkeen",
}

//nolint:misspell // not English
var hungarian = words{
	language:     "hu",
	months:       "január,február,március,április,május,június,július,augusztus,szeptember,október,november,december",
	shortMonths:  "jan,feb/febr,márc,ápr,máj,jún,júl,aug,szept,okt,nov,dec",
	monthEndings: "ban/ben/i/tól/től/ig/ra/re/a/e/án/én",
	weekdays:     "hétfő,kedd,szerda<á,csütörtök,péntek,szombat,vasárnap",
	dayEndings:   "n/en/ön/on/i/ra/re/tól/től/ig",
	days:         "tegnapelőtt,tegnap/tegnap este/tegnap éjjel/tegnapi,?ma/ma este/ma reggel/ma délután,?holnap,holnapután",
	units:        "nap/napot/nappal/napban/napon/napja,hét/hetet/héttel/héten/hetén/heti/hetében,hónap/hónappal/hónapban/hónapot/havi,?év/évvel/évben/évet/évi,hétvége/hétvégén/hétvégi,negyedév/negyedévben",
	agoUnits:     "napja,hete,hónapja,éve",
	fixed:        "tavaly/tavalyi/a múlt évben,idén/az idén/az idei/ebben az évben,jövőre/jövő évben",
	numbers:      "egy,két/kettő,három,négy,öt,hat,hét,nyolc,kilenc,tíz,tizenegy,tizenkét/tizenkettő",
	seasons:      "~tavasz,~nyár,~ősz,~tél",
	inSeasons:    "tavasszal/tavaszán,nyáron/nyarán,ősszel/őszén,télen/telén",
	last:         "múlt/elmúlt/előző", this: "ez/ezen a/ezen az/ebben a/ebben az/e", next: "jövő/következő",
	every:    "minden",
	agoAfter: "ezelőtt/óta ezelőtt",
	inAfter:  "múlva",
	in:       "a/az/óta/között",
	of:       "év/évi/a/az/évben",
	from:     "", to: "és", between: "", and: "és", betweenAfter: "között/közt",
	since: "", before: "", after: "",
}

//nolint:misspell // not English
var turkish = words{
	language:     "tr",
	months:       "~ocak<ğ,şubat,~mart,nisan,mayıs,haziran,temmuz,ağustos,eylül,~ekim,kasım,aralık<ğ",
	monthEndings: "ta/te/da/de/ı/i/u/ü/ın/in/un/ün/tan/ten/dan/den/a/e",
	weekdays:     "pazartesi,salı,çarşamba,perşembe,cuma,cumartesi,~pazar",
	dayEndings:   "yi/yı/ye/ya/si/sı",
	days:         "evvelsi gün/önceki gün,dün/dün akşam/dün gece,bugün/bu gün/bu sabah/bu akşam,yarın,yarından sonra/öbür gün",
	units:        "gün/günü/günde/günün/günler,hafta/haftayı/haftada/haftası/haftanın,?ay/ayı/ayda/ayın/ayında,yıl/yılı/yılda/yılın/yılında/sene/senede,hafta sonu/haftasonu/hafta sonunda,çeyrek/çeyreği/çeyreğinde",
	fixed:        "geçen yıl/geçen sene,bu yıl/bu sene,gelecek yıl/seneye/gelecek sene",
	numbers:      "bir,iki,üç,dört,beş,altı,yedi,sekiz,dokuz,on,on bir,on iki",
	seasons:      "~ilkbahar/~bahar,~yaz,~sonbahar/~güz,~kış",
	inSeasons:    "ilkbaharda/baharda/ilkbaharında,yazın/yazında,sonbaharda/güzün/sonbaharında,kışın/kışında",
	last:         "geçen/geçtiğimiz/son/önceki", this: "bu", next: "gelecek/önümüzdeki/haftaya",
	every:    "her",
	agoAfter: "önce/evvel",
	inAfter:  "sonra",
	in:       "yılı/yılının/tarihi",
	of:       "ayı/yılı/yılının/ayının",
	from:     "", to: "ile/ila/ve", between: "", and: "ile/ve", betweenAfter: "arası/arasında/arasındaki",
	since: "", before: "", after: "",
}

//nolint:misspell // not English
var russian = words{
	language: "ru",
	months: "январь/января/январе/январю/январем,февраль/февраля/феврале/февралю,март/марта/марте/марту,апрель/апреля/апреле/апрелю,май/мая/мае/маю,июнь/июня/июне/июню," +
		"июль/июля/июле/июлю,август/августа/августе/августу,сентябрь/сентября/сентябре/сентябрю,октябрь/октября/октябре/октябрю,ноябрь/ноября/ноябре/ноябрю,декабрь/декабря/декабре/декабрю",
	shortMonths: "янв,фев/февр,мар,апр,,июн,июл,авг,сен/сент,окт,ноя/нояб,дек",
	weekdays:    "понедельник/понедельника,вторник/вторника,~среду/~среда/~среды,четверг/четверга,пятницу/пятница/пятницы,субботу/суббота/субботы,воскресенье/воскресенья",
	shortDays:   "пн,вт,ср,чт,пт,сб,вс",
	days:        "позавчера,вчера/вчера вечером/прошлой ночью,сегодня/сегодня утром/сегодня вечером,завтра,послезавтра",
	units:       "день/дня/дней/дни/днем,неделя/неделю/недели/недель/неделе,месяц/месяца/месяцев/месяце,год/года/лет/году/годы,выходные/выходных,квартал/квартала/квартале",
	fixed:       "в прошлом году/прошлый год,в этом году,в следующем году",
	numbers:     "один/одну/одна,два/две,три,четыре,пять,шесть,семь,восемь,девять,десять,одиннадцать,двенадцать",
	seasons:     "~весна/~весны/~весну,~лето/~лета,~осень/~осени,~зима/~зимы/~зиму",
	inSeasons:   "весной/весною,летом,осенью,зимой/зимою",
	last:        "прошлый/прошлую/прошлое/прошлая/прошлой/прошлом/прошлого/прошлые/прошлых/прошлым/последние/последних/последнюю/последний/последней/предыдущий/предыдущей",
	this:        "этот/эту/это/этой/этом/эти/этих/этого/этим", next: "следующий/следующую/следующее/следующей/следующем/следующего/будущей/будущем",
	every:    "каждый/каждую/каждое/каждые/по",
	agoAfter: "назад/тому назад",
	inBefore: "через",
	in:       "в/во/на/с/со/к/до/по/за/от/между/около/после/конце/начале/середине/из",
	of:       "г/года/год/году/числа",
	from:     "с/со/от", to: "по/до", between: "между", and: "и",
	since: "с/со/начиная с", before: "до", after: "после",
}

// The languages below are not stemmed. Their dates are few forms, and worth reading.

//nolint:misspell // not English
var chinese = words{
	language:  "zh",
	months:    "一月,二月,三月,四月,五月,六月,七月,八月,九月,十月,十一月,十二月",
	weekdays:  "星期一/周一/週一/礼拜一,星期二/周二/週二/礼拜二,星期三/周三/週三/礼拜三,星期四/周四/週四/礼拜四,星期五/周五/週五/礼拜五,星期六/周六/週六/礼拜六,星期日/星期天/周日/週日/礼拜天",
	days:      "前天,昨天/昨晚/昨日,今天/今晚/今日/今早,明天,后天/後天",
	units:     "天,周/週/星期/个星期/個星期/礼拜,月/个月/個月,年,周末/週末,季度",
	fixed:     "去年,今年,明年",
	numbers:   "一,二/两/兩,三,四,五,六,七,八,九,十,十一,十二",
	seasons:   "~春天/~春季,~夏天/~夏季,~秋天/~秋季,~冬天/~冬季",
	inSeasons: "春天/春季,夏天/夏季,秋天/秋季,冬天/冬季",
	last:      "上/上个/上個/上一/过去/過去/最近", this: "这/这个/這/這個/本", next: "下/下个/下個/下一",
	every:    "每/每个/每個",
	agoAfter: "前/以前/之前",
	in:       "在/于/於", of: "的",
	to: "到/至", from: "从/從", marks: "年,月,日/号/號",
	since: "", before: "", after: "",
}

var japanese = words{
	language:  "ja",
	weekdays:  "月曜日/月曜,火曜日/火曜,水曜日/水曜,木曜日/木曜,金曜日/金曜,土曜日/土曜,日曜日/日曜",
	days:      "一昨日/おととい,昨日/きのう/昨夜/昨晩,今日/きょう/今夜/今朝/今晩,明日/あした,明後日/あさって",
	units:     "日/日間,週/週間,月/ヶ月/か月/カ月,年/年間,週末,四半期",
	fixed:     "去年/昨年,今年,来年",
	numbers:   "一,二,三,四,五,六,七,八,九,十,十一,十二",
	inSeasons: "春に,夏に,秋に,冬に",
	last:      "先/先の/前の/この前の", this: "今/今の/この", next: "来/次の",
	every:    "毎/毎週",
	agoAfter: "前/まえ",
	of:       "の", from: "から", to: "から/まで/〜", marks: "年,月,日",
}

var korean = words{
	language:  "ko",
	weekdays:  "월요일,화요일,수요일,목요일,금요일,토요일,일요일",
	days:      "그저께/그제,어제/어젯밤,오늘/오늘밤,내일,모레",
	units:     "일/일간,주/주일,월/개월/달,년/년간,주말,분기",
	fixed:     "작년/지난해,올해/금년,내년",
	numbers:   "한,두,세,네,다섯,여섯,일곱,여덟,아홉,열,열한,열두",
	inSeasons: "봄에,여름에/여름,가을에/가을,겨울에/겨울",
	last:      "지난/저번", this: "이번", next: "다음",
	every:    "매/매주",
	agoAfter: "전/전에",
	to:       "부터/에서/까지", marks: "년,월,일",
}
