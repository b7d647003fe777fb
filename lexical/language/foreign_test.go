package language

// foreignTexts are notes and questions of an agent's users, by language.
//
//nolint:misspell // not English
var foreignTexts = map[string][]string{
	"de": {
		"Anna ist allergisch gegen Erdnüsse und hat immer einen Adrenalinpen dabei.", "Wo habe ich das Auto geparkt?", "Der Zahnarzttermin wurde auf Donnerstag verschoben.",
		"Max trinkt seinen Kaffee schwarz.", "Wann hat meine Schwester Geburtstag?", "Wir treffen uns jeden Montag um neun Uhr im Büro.", "Das Passwort für das WLAN steht auf der Rückseite des Routers.",
		"Lisa mag keine Pilze.", "Welche Schuhgröße hat mein Sohn?", "Bitte den Deploy nie am Freitag mit docker compose up starten.", "Die Haftpflichtversicherung läuft bei der HUK.", "ich wohne seit zwei jahren in köln",
	},
	"fr": {
		"Anna est allergique aux arachides.", "Où est-ce que j'ai garé la voiture ?", "Le rendez-vous chez le dentiste est reporté à jeudi.", "Paul boit son café sans sucre.",
		"Quel est le mot de passe du wifi ?", "Ma sœur fête son anniversaire le 4 mai.", "Nous déménageons à Lyon au mois de juin.", "Elle n'aime pas les champignons.", "Qui s'occupe du chat pendant les vacances ?",
		"L'assurance de la maison expire en mars.", "Lancer `make deploy` avant de fermer le ticket, sinon les tests échouent.", "j'ai rendez vous avec le medecin demain",
	},
	"it": {
		"Anna è allergica alle arachidi.", "Dove ho parcheggiato la macchina?", "L'appuntamento dal dentista è stato spostato a giovedì.", "Marco beve il caffè senza zucchero.",
		"Qual è la password del wifi?", "Mia sorella compie gli anni il 4 maggio.", "Ci trasferiamo a Torino in giugno.", "A Lucia non piacciono i funghi.", "Chi si occupa del gatto durante le vacanze?",
		"L'assicurazione della casa scade a marzo.", "Il server gira su Kubernetes nella regione eu-west-1.", "Che numero di scarpe porta mio figlio?",
	},
	"es": {
		"Anna es alérgica a los cacahuetes.", "¿Dónde aparqué el coche?", "La cita con el dentista se ha cambiado al jueves.", "Pablo toma el café sin azúcar.", "¿Cuál es la contraseña del wifi?",
		"Mi hermana cumple años el 4 de mayo.", "Nos mudamos a Sevilla en junio.", "A Lucía no le gustan las setas.", "¿Quién cuida al gato en vacaciones?", "El seguro de la casa vence en marzo.",
		"El servidor corre en Kubernetes con PostgreSQL 17.", "donde vive mi primo ahora",
	},
	"pt": {
		"A Ana é alérgica a amendoim.", "Onde estacionei o carro?", "A consulta no dentista foi adiada para quinta-feira.", "O Paulo toma café sem açúcar.", "Qual é a senha do wifi?",
		"Minha irmã faz aniversário no dia 4 de maio.", "Vamos nos mudar para o Porto em junho.", "A Lúcia não gosta de cogumelos.", "Quem cuida do gato nas férias?", "O seguro da casa vence em março.",
		"O servidor roda em Kubernetes com PostgreSQL.", "Que número de sapato meu filho usa?",
	},
	"nl": {
		"Anna is allergisch voor pinda's.", "Waar heb ik de auto geparkeerd?", "De afspraak bij de tandarts is verzet naar donderdag.", "Jan drinkt zijn koffie zwart.", "Wat is het wachtwoord van de wifi?",
		"Mijn zus is jarig op 4 mei.", "We verhuizen in juni naar Utrecht.", "Lotte houdt niet van paddenstoelen.", "Wie zorgt er voor de kat tijdens de vakantie?", "De verzekering van het huis loopt in maart af.",
		"De server draait op Kubernetes met PostgreSQL 17.", "Welke schoenmaat heeft mijn zoon?",
	},
	"pl": {
		"Anna jest uczulona na orzeszki ziemne.", "Gdzie zaparkowałem samochód?", "Wizyta u dentysty została przełożona na czwartek.", "Paweł pije kawę bez cukru.", "Jakie jest hasło do wifi?",
		"Moja siostra ma urodziny 4 maja.", "Przeprowadzamy się do Krakowa w czerwcu.", "Kasia nie lubi grzybów.", "Kto zajmie się kotem w czasie urlopu?", "Ubezpieczenie domu wygasa w marcu.",
		"Serwer działa na Kubernetes z bazą PostgreSQL.", "Jaki rozmiar buta nosi mój syn?",
	},
	"sv": {
		"Anna är allergisk mot jordnötter.", "Var parkerade jag bilen?", "Tandläkartiden har flyttats till torsdag.", "Erik dricker sitt kaffe svart.", "Vad är lösenordet till wifi?",
		"Min syster fyller år den 4 maj.", "Vi flyttar till Malmö i juni.", "Lina tycker inte om svamp.", "Vem tar hand om katten under semestern?", "Hemförsäkringen går ut i mars.",
		"Servern körs på Kubernetes med PostgreSQL.", "Vilken skostorlek har min son?",
	},
	"da": {
		"Anna er allergisk over for jordnødder.", "Hvor parkerede jeg bilen?", "Tandlægetiden er flyttet til torsdag.", "Erik drikker sin kaffe sort.", "Hvad er adgangskoden til wifi?",
		"Min søster har fødselsdag den 4. maj.", "Vi flytter til Odense i juni.", "Line kan ikke lide svampe.", "Hvem passer katten i ferien?", "Husforsikringen udløber i marts.", "Hvilken skostørrelse bruger min søn?",
	},
	"no": {
		"Anna er allergisk mot peanøtter.", "Hvor parkerte jeg bilen?", "Tannlegetimen er flyttet til torsdag.", "Erik drikker kaffen svart.", "Hva er passordet til wifi?",
		"Søsteren min har bursdag 4. mai.", "Vi flytter til Bergen i juni.", "Line liker ikke sopp.", "Hvem passer katten i ferien?", "Husforsikringen går ut i mars.", "Hvilken skostørrelse bruker sønnen min?",
	},
	"fi": {
		"Anna on allerginen maapähkinöille.", "Mihin pysäköin auton?", "Hammaslääkäriaika on siirretty torstaille.", "Eero juo kahvinsa mustana.", "Mikä on wifin salasana?", "Siskollani on syntymäpäivä 4. toukokuuta.",
		"Muutamme Tampereelle kesäkuussa.", "Liisa ei pidä sienistä.", "Kuka hoitaa kissaa loman aikana?", "Kotivakuutus päättyy maaliskuussa.", "Minkä kokoisia kenkiä poikani käyttää?",
	},
	"tr": {
		"Ayşe'nin yer fıstığına alerjisi var.", "Arabayı nereye park ettim?", "Diş hekimi randevusu perşembe gününe ertelendi.", "Mehmet kahvesini şekersiz içiyor.", "Wifi şifresi nedir?",
		"Kız kardeşimin doğum günü 4 Mayıs.", "Haziran ayında İzmir'e taşınıyoruz.", "Elif mantar sevmiyor.", "Tatilde kediye kim bakacak?", "Ev sigortası mart ayında bitiyor.", "Oğlum kaç numara ayakkabı giyiyor?",
	},
	"vi": {
		"Anna bị dị ứng với đậu phộng.", "Tôi đã đỗ xe ở đâu?", "Lịch hẹn nha sĩ được dời sang thứ năm.", "Minh uống cà phê không đường.", "Mật khẩu wifi là gì?", "Sinh nhật em gái tôi là ngày 4 tháng 5.",
		"Chúng tôi chuyển đến Đà Nẵng vào tháng sáu.", "Lan không thích ăn nấm.", "Ai chăm sóc con mèo trong kỳ nghỉ?", "Bảo hiểm nhà hết hạn vào tháng ba.", "Con trai tôi đi giày cỡ bao nhiêu?",
	},
	"id": {
		"Anna alergi terhadap kacang tanah.", "Di mana saya memarkir mobil?", "Janji dengan dokter gigi dipindahkan ke hari Kamis.", "Budi minum kopi tanpa gula.", "Apa kata sandi wifi?", "Adik saya berulang tahun pada 4 Mei.",
		"Kami pindah ke Bandung pada bulan Juni.", "Siti tidak suka jamur.", "Siapa yang menjaga kucing selama liburan?", "Asuransi rumah berakhir pada bulan Maret.", "Berapa ukuran sepatu anak saya?",
	},
	"hu": {
		"Anna allergiás a földimogyoróra.", "Hol parkoltam le az autót?", "A fogorvosi időpont csütörtökre került át.", "Péter cukor nélkül issza a kávét.", "Mi a wifi jelszava?", "A húgom születésnapja május 4-én van.",
		"Júniusban Szegedre költözünk.", "Zsófi nem szereti a gombát.", "Ki vigyáz a macskára a nyaralás alatt?", "A lakásbiztosítás márciusban lejár.", "Hányas cipőt hord a fiam?",
	},
	"ro": {
		"Ana este alergică la arahide.", "Unde am parcat mașina?", "Programarea la dentist a fost mutată joi.", "Radu bea cafeaua fără zahăr.", "Care este parola de la wifi?", "Ziua surorii mele este pe 4 mai.",
		"Ne mutăm la Cluj în iunie.", "Ioanei nu îi plac ciupercile.", "Cine are grijă de pisică în vacanță?", "Asigurarea casei expiră în martie.", "Ce număr la pantofi poartă fiul meu?",
	},
	"cs": {
		"Anna je alergická na arašídy.", "Kde jsem zaparkoval auto?", "Termín u zubaře se přesunul na čtvrtek.", "Petr pije kávu bez cukru.", "Jaké je heslo k wifi?", "Moje sestra má narozeniny 4. května.",
		"V červnu se stěhujeme do Brna.", "Jana nemá ráda houby.", "Kdo se postará o kočku během dovolené?", "Pojištění domu končí v březnu.", "Jakou velikost bot nosí můj syn?",
	},
	"hr": {
		"Ana je alergična na kikiriki.", "Gdje sam parkirao auto?", "Termin kod zubara je pomaknut na četvrtak.", "Marko pije kavu bez šećera.", "Koja je lozinka za wifi?", "Moja sestra ima rođendan 4. svibnja.",
		"U lipnju se selimo u Split.", "Ivana ne voli gljive.", "Tko čuva mačku za vrijeme odmora?", "Osiguranje kuće istječe u ožujku.", "Koji broj cipela nosi moj sin?",
	},
	"ca": {
		"L'Anna és al·lèrgica als cacauets.", "On he aparcat el cotxe?", "La cita amb el dentista s'ha canviat a dijous.", "En Pau pren el cafè sense sucre.", "Quina és la contrasenya del wifi?", "La meva germana fa anys el 4 de maig.",
		"Ens mudem a Girona al juny.", "A la Laia no li agraden els bolets.", "Qui cuida el gat durant les vacances?", "L'assegurança de la casa caduca al març.",
	},
	"sk": {
		"Anna je alergická na arašidy.", "Kde som zaparkoval auto?", "Termín u zubára sa presunul na štvrtok.", "Peter pije kávu bez cukru.", "Aké je heslo na wifi?", "Moja sestra má narodeniny 4. mája.",
		"V júni sa sťahujeme do Košíc.", "Jana nemá rada huby.", "Kto sa postará o mačku počas dovolenky?", "Poistenie domu sa končí v marci.",
	},
	"sw": {
		"Anna ana mzio wa karanga.", "Niliegesha gari wapi?", "Miadi ya daktari wa meno imehamishiwa Alhamisi.", "Juma anakunywa kahawa bila sukari.", "Nenosiri la wifi ni nini?", "Dada yangu anazaliwa tarehe 4 Mei.",
		"Tunahamia Mombasa mwezi wa Juni.", "Asha hapendi uyoga.", "Nani atamtunza paka wakati wa likizo?", "Bima ya nyumba inaisha mwezi wa Machi.",
	},
	"ru": {
		"У Анны аллергия на арахис.", "Где я припарковал машину?", "Приём у стоматолога перенесён на четверг.", "Павел пьёт кофе без сахара.", "Какой пароль от wifi?", "У моей сестры день рождения 4 мая.",
		"В июне мы переезжаем в Казань.", "Оля не любит грибы.", "Кто присмотрит за кошкой?", "Запустить docker compose up -d после обновления.",
	},
	"uk": {
		"В Анни алергія на арахіс.", "Де я припаркував машину?", "Прийом у стоматолога перенесено на четвер.", "Павло п'є каву без цукру.", "Який пароль від wifi?", "У моєї сестри день народження 4 травня.",
		"У червні ми переїжджаємо до Львова.", "Оля не любить гриби.", "Хто догляне за кішкою?", "Страхування будинку закінчується в березні.",
	},
	"el": {
		"Η Άννα είναι αλλεργική στα φιστίκια.", "Πού πάρκαρα το αυτοκίνητο;", "Το ραντεβού με τον οδοντίατρο μεταφέρθηκε.", "Ο Νίκος πίνει τον καφέ σκέτο.", "Ποιος είναι ο κωδικός του wifi;",
		"Η αδερφή μου έχει γενέθλια στις 4 Μαΐου.", "Μετακομίζουμε στην Πάτρα τον Ιούνιο.", "Η Ελένη δεν τρώει μανιτάρια.", "Ποιος προσέχει τη γάτα;", "Η ασφάλεια του σπιτιού λήγει τον Μάρτιο.",
	},
	"zh": {
		"安娜对花生过敏。", "我把车停在哪里了？", "牙医预约改到星期四了。", "小王喝咖啡不加糖。", "wifi 密码是什么？", "我妹妹的生日是五月四日。", "我们六月搬到成都。", "李丽不喜欢吃蘑菇。", "假期谁照顾猫？",
		"用 docker compose up -d 启动服务，然后运行 make migrate。", "儿子穿多大的鞋？",
	},
	"ja": {
		"アンナはピーナッツアレルギーです。", "車をどこに停めましたか？", "歯医者の予約は木曜日に変わりました。", "田中さんはコーヒーに砂糖を入れない。", "wifiのパスワードは何ですか？", "妹の誕生日は五月四日です。",
		"六月に福岡へ引っ越します。", "きのこは嫌い。", "休暇中は誰が猫の世話をしますか？", "デプロイは金曜日にしないこと。",
	},
	"ko": {
		"안나는 땅콩 알레르기가 있다.", "차를 어디에 주차했지?", "치과 예약이 목요일로 바뀌었다.", "민수는 커피에 설탕을 넣지 않는다.", "와이파이 비밀번호가 뭐야?", "여동생 생일은 5월 4일이다.",
		"우리는 6월에 부산으로 이사한다.", "지은이는 버섯을 싫어한다.", "휴가 동안 누가 고양이를 돌봐?", "집 보험은 3월에 끝난다.",
	},
	"ar": {
		"آنا لديها حساسية من الفول السوداني.", "أين أوقفت السيارة؟", "تم تأجيل موعد طبيب الأسنان إلى الخميس.", "يشرب أحمد القهوة بدون سكر.", "ما هي كلمة مرور الواي فاي؟", "عيد ميلاد أختي في الرابع من مايو.",
		"سننتقل إلى جدة في يونيو.", "ليلى لا تحب الفطر.", "من يعتني بالقطة؟", "ينتهي تأمين المنزل في مارس.",
	},
	"he": {
		"לאנה יש אלרגיה לבוטנים.", "איפה החניתי את המכונית?", "התור לרופא השיניים נדחה ליום חמישי.", "דוד שותה קפה בלי סוכר.", "מה הסיסמה לוויי־פיי?", "יום ההולדת של אחותי הוא בארבעה במאי.",
		"אנחנו עוברים לחיפה ביוני.", "נועה לא אוהבת פטריות.", "מי שומר על החתול?", "הביטוח של הבית נגמר במרץ.",
	},
	"hi": {
		"अन्ना को मूंगफली से एलर्जी है।", "मैंने गाड़ी कहाँ खड़ी की?", "दंत चिकित्सक का समय गुरुवार को हो गया।", "रवि बिना चीनी की कॉफी पीता है।", "वाईफाई का पासवर्ड क्या है?", "मेरी बहन का जन्मदिन 4 मई को है।",
		"हम जून में पुणे जा रहे हैं।", "सीता को मशरूम पसंद नहीं।", "बिल्ली का ध्यान कौन रखेगा?", "घर का बीमा मार्च में खत्म होता है।",
	},
	"th": {
		"แอนนาแพ้ถั่วลิสง", "ฉันจอดรถไว้ที่ไหน", "นัดทันตแพทย์เลื่อนเป็นวันพฤหัสบดี", "สมชายดื่มกาแฟไม่ใส่น้ำตาล", "รหัสผ่านไวไฟคืออะไร", "วันเกิดน้องสาวคือวันที่ 4 พฤษภาคม",
		"เราย้ายไปเชียงใหม่เดือนมิถุนายน", "มาลีไม่ชอบเห็ด", "ใครดูแลแมวช่วงวันหยุด", "ประกันบ้านหมดเดือนมีนาคม",
	},
}

// englishTexts are not foreign, however few of their words are English.
var englishTexts = []string{
	"", "?", "42", "π", "Δ = b² − 4ac", "α-synuclein", "🥜",
	"Anna", "Anna Müller", "José García Márquez", "Rio de Janeiro", "Los Angeles", "Las Vegas, La Jolla and San José", "Ludwig van Beethoven", "Juan Carlos de la Cruz y Martínez", "Angela Merkel, Gerhard Schröder, Helmut Kohl",
	"Anna lives in São Paulo with Björn and Zoë.", "Flight from Zürich to Málaga on Lufthansa", "Café Einstein, Kurfürstenstraße 58", "El Niño", "vis-à-vis", "naïve façade", "crème brûlée", "Piña colada",
	"docker compose up -d --build", "git rebase -i HEAD~3", "SELECT id, name FROM users WHERE de = 'la' AND un = 1;", "func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request)", "kubectl get pods -n kube-system",
	`{"name": "Anna", "la": 3, "un": "de", "con": ["el", "los"]}`, "https://example.com/de/la/casa/de/papel?para=el&con=los", "export PATH=$PATH:/usr/local/bin", "for i in range(10): print(i)", "import numpy as np", "la.en.de.es", "snake_case_de_la",
	"camelCaseDeLaCasa", "ERR_CONNECTION_REFUSED", "sk-proj-9f8a7b6c5d4e", "DE89 3704 0044 0532 0130 00", "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC", "d41d8cd98f00b204e9800998ecf8427e",
	"Escherichia coli", "Drosophila melanogaster and Caenorhabditis elegans", "Saccharomyces cerevisiae", "Homo sapiens", "Arabidopsis thaliana", "Mus musculus", "Staphylococcus aureus infection",
	"acetylsalicylic acid, paracetamol, ibuprofen", "amoxicillin clavulanate 875 mg", "rituximab and trastuzumab", "in vitro and in vivo", "de novo assembly of reads", "quid pro quo", "status quo ante",
	"1,25-dihydroxyvitamin D3 activates CYP24A1", "IL-6 and TNF-alpha induce CRP", "ALDH1 expression is associated with better breast cancer outcomes.", "Macrolides protect against myocardial infarction.",
	"Prefers window seats", "oat milk", "blue bag", "window seat", "shellfish allergy", "no peanuts", "die cast models", "comment section", "fast car", "rat trap", "gift card", "hat stand", "son's school",
	"Her favourite quotation is “Je pense, donc je suis” by Descartes.", "The sign said „Betreten der Baustelle verboten“, so we left and went home again.", "His motto is \"carpe diem\".", "Anna says 'la vida es un carnaval' whenever she is tired.",
	"The sign said 请勿吸烟 and we left.", "Her name is written Αθηνά in Greek.", "The Russian word for bread is хлеб, and for salt it is соль.", "He ordered Spaghetti alla puttanesca and a glass of Montepulciano d'Abruzzo.",
	"We watched La casa de papel and Cien años de soledad is next on the list.", "She studied at the Universidad Nacional Autónoma de México.", "Learn the phrase \"Wo ist der Bahnhof?\" before the trip.",
	"Dave: See ya, Calvin! Stay awesome. Catch ya later.", "lol ok brb", "I'd say it's y'all's.", "Don't!", "pros and cons", "per annum", "et al.", "a la carte", "vice versa", "ad hoc", "en route", "au pair", "déjà vu", "coup d'état", "Tour de France",
}
