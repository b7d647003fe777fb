package language

// profile lists the features of a language in Latin script.
type profile struct {
	code    string // ISO 639-1
	letters string // its letters beyond a to z
	words   string // its most common words and words of everyday notes, in lower case
	ends    string // endings of its words that are rare in English
	starts  string // beginnings of its words that are rare in English
	pairs   string // pairs of letters from a to z that are rare in English
	elided  bool   // whether it elides articles: l'eau
}

// latin are the languages in Latin script, besides English, that Of knows; their order
// does not matter. A text in an unlisted language is still foreign if it shares words with
// one of these.
//
//nolint:misspell // not English
var latin = [...]profile{
	{
		code: "de", letters: "äöüß",
		words: `januar februar märz april juni juli august september oktober november dezember trinke esse wohne arbeite mache gehe kaufe brauche weiß wissen kennt kaufen essen trinken machen gehen kommen sagen sagt gesagt gemacht verschoben geändert
der die das den dem des ein eine einen einem einer eines kein keine keinen keinem keiner
und oder aber denn weil dass daß ob wenn als wie wer wen wem wessen was wann wo warum wieso weshalb welche welcher welches welchen wohin woher womit
in im an am auf aus bei beim mit nach von vom vor zu zum zur über unter durch für gegen ohne um bis seit zwischen während wegen hinter neben
ich du er sie es wir ihr mich dich sich mir dir ihm ihn ihnen uns euch mein meine meinen meinem meiner dein deine deinen sein seine seinen seinem seiner ihre ihren ihrem ihrer unser unsere unserem unseren
ist sind war waren bin bist wird werden wurde wurden worden hat haben hatte hatten habe kann können konnte muss müssen soll sollen will wollen möchte möchten darf mag
nicht auch noch nur sehr schon immer nie wieder hier dort heute gestern morgen jetzt dann mehr alle alles etwas nichts viel viele jeden jede jeder jedes diese dieser dieses diesen
heißt heisst wohnt arbeitet braucht trinkt isst fährt kommt geht macht gibt liegt steht spielt lernt hört trägt zahlt läuft bekommt nimmt bitte danke
frau mann kind kinder tochter sohn mutter vater schwester bruder freund freundin arzt uhr woche jahr jahre monat montag dienstag mittwoch donnerstag freitag samstag sonntag
gerne lieber keinerlei gut neue neuen neuer neues wichtig termin allergisch geburtstag straße haus wohnung arbeit stadt schule telefonnummer adresse passwort`,
		ends: `ung ungen lich liche lichen licher liches heit keit keiten schaft isch ische ischen ischer tät chen tig tigt iert ieren`,
	},
	{
		code: "fr", letters: "éèêëàâçîïôùûœ",
		words: `café lait pain sucre voiture vacances lit achète paie dort commence finit dit dire aller occupe numéro déménage déménageons
le la les un une des du de au aux et ou mais donc car que qui quoi dont où quel quelle quels quelles quand comment pourquoi combien lequel laquelle
en dans par pour sur sous avec sans entre vers chez depuis pendant avant après contre jusque ne pas plus jamais rien si
se sa son ses leur leurs ma mon mes ta ton tes notre nos votre vos je tu il elle on nous vous ils elles me te lui ce cet cette ces cela ça
est sont était étaient être été fut a ont avait avaient avoir eu y ai as suis sommes êtes fait faire faut peut peuvent doit doivent veut va vont sera
très aussi bien encore toujours déjà même tout tous toute toutes beaucoup peu trop moins ici alors comme parce
aime habite travaille préfère mange boit prend parle joue utilise appelle vit déteste
femme homme enfant enfants fille fils mère père sœur frère ami amie médecin jour jours semaine mois année ans heure heures lundi mardi mercredi jeudi vendredi samedi dimanche
janvier février avril juin juillet août septembre octobre décembre allergique rendez anniversaire maison rue ville travail école adresse téléphone mot passe nouveau nouvelle chien chat`,
		ends:   `eux euse euses aient ique iques eur eurs eau eaux aire aires ère ères ée ées`,
		elided: true,
	},
	{
		code: "es", letters: "ñáéíóú¿¡",
		words: `café azúcar leche pan coche vacaciones lee compra paga duerme empieza termina dijo dicho decir cumple cuida número nos mudamos
el la los las lo un una unos unas de del al a ante con contra desde en entre hacia hasta para por según sin sobre tras durante
y e o u ni que qué quien quién quienes quiénes cual cuál cuales cuáles cuanto cuánto cuánta cuántos cuántas cuando cuándo donde dónde como cómo si sí no más pero porque pues
se su sus le les me mi mis te tu tus nos yo él ella ellos ellas nosotros este esta estos estas ese esa esos esas eso esto aquel aquella
es son era eran fue fueron ser sido sea está están estaba estoy soy somos ha han había he hay tiene tienen tuvo tengo hace puede pueden debe quiere va muy ya también siempre nunca aquí ahora todo todos toda todas mucho mucha muchos nada algo otro otra hoy ayer mañana
vive trabaja come bebe prefiere gusta gustan llama necesita usa habla juega toma odia
mujer hombre hijo hija hijos madre padre hermana hermano amigo amiga médico día días semana mes año años hora horas lunes martes miércoles jueves viernes sábado domingo
enero febrero abril mayo junio julio agosto septiembre octubre noviembre diciembre alérgico alérgica cumpleaños casa calle ciudad trabajo escuela dirección teléfono contraseña nuevo nueva perro gato reunión cita`,
		ends: `ción ciones dad dades mente ando iendo ado ada ados adas ido idos idas miento ería ero eros eras`,
	},
	{
		code: "it", letters: "àèéìòù",
		words: `piacciono caffè zucchero latte pane macchina vacanze vacanza legge compra paga dorme comincia inizia finisce scade detto compie occupa numero
il lo la i gli le un uno una di a da in con su per tra fra del dello della dei degli delle al allo alla ai agli alle
dal dalla dai dalle nel nello nella nei nelle sul sulla sui sulle e ed o ma se che chi cui quale quali quanto quanta quanti quante
quando dove come perché cosa non più mai anche ancora già sempre molto poco tutto tutti tutta ogni oggi ieri domani
si suo sua suoi sue mio mia miei mie loro io tu lui lei noi voi ci ne mi ti questo questa questi queste quello quella nostro nostra
è sono era erano fu essere stato stata ha ho hanno aveva avere può possono deve vuole fa va sta
vive abita lavora mangia beve preferisce piace chiama usa parla gioca prende odia
donna uomo figlio figlia figli madre padre sorella fratello amico amica medico giorno giorni settimana mese anno anni ora ore lunedì martedì mercoledì giovedì venerdì sabato domenica
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre allergico allergica compleanno casa via città lavoro scuola indirizzo telefono nuovo nuova cane gatto riunione appuntamento`,
		ends:   `zione zioni mente tà ando endo ati uto uta uti ito ita iti ggio etto etta anza enza oni ioni`,
		elided: true,
	},
	{
		code: "pt", letters: "ãõáâàçéêíóôú",
		words: `café açúcar leite pão carro férias lê paga dorme começa termina disse dito dizer faz cuida número mudar vamos
o a os as um uma uns umas de do da dos das em no na nos nas ao aos à às por pelo pela pelos pelas para com sem sobre entre até desde
e ou mas se que quem qual quais quanto quanta quantos quantas quando onde como porque por não mais muito muita muitos já também sempre nunca ainda tudo todos toda todas hoje ontem amanhã
seu sua seus suas meu minha meus minhas eu tu ele ela eles elas nós você vocês me lhe isso isto este esta estes estas esse essa aquele aquela nosso nossa
é são era eram foi foram ser sido está estão estava estou sou tem têm tinha tenho há pode podem deve quer vai vou faz fazer
mora vive trabalha come bebe prefere gosta chama precisa usa fala joga toma odeia
mulher homem filho filha filhos mãe pai irmã irmão amigo amiga médico dia dias semana mês ano anos hora horas segunda terça quarta quinta sexta sábado domingo feira
janeiro fevereiro março abril maio junho julho setembro outubro novembro dezembro alérgico alérgica aniversário casa rua cidade trabalho escola endereço telefone senha novo nova cachorro gato reunião consulta`,
		ends: `ção ções dade dades mente ando endo indo ado ada ados adas ido ida idos idas mento eiro eira inho inha agem ões`,
	},
	{
		code: "nl", pairs: "ij aa uu", letters: "ëï",
		words: `januari februari maart april mei juni juli augustus september oktober november december koopt kopen eten drinken maken zeggen zegt gezegd gemaakt loopt draait auto koffie melk brood suiker
de het een en of maar want dat die dit deze wie wat waar wanneer waarom hoe hoeveel welke welk
in op aan van voor met bij naar uit over onder tussen door tegen zonder tot om te sinds tijdens na
ik jij je hij zij ze wij we jullie u mij me hem haar ons onze hun mijn jouw zijn
is was waren wordt worden werd werden heeft hebben heb had hadden kan kunnen moet moeten wil willen mag zal zullen gaat gaan komt doet
niet geen ook nog er dan als al altijd nooit weer hier daar vandaag gisteren morgen nu meer alle alles iets niets veel heel graag liever elke
woont werkt eet drinkt houdt heet speelt leert rijdt gebruikt neemt draagt belt
vrouw man kind kinderen dochter zoon moeder vader zus broer vriend vriendin dokter huisarts uur week jaar maand maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
nieuwe nieuw goed allergisch verjaardag huis straat stad werk school adres telefoonnummer wachtwoord afspraak vergadering hond kat fiets`,
		ends: `heid heden lijk lijke lijks tje tjes ij ijn ijk ijke aar aard eert eren iseren schap ingen atie aties`,
	},
	{
		code: "pl", pairs: "sz cz rz dz cj", letters: "ąćęłńóśźż",
		words: `kawę kawa herbata mleko chleb samochód urlop urlopu czyta kupuje płaci śpi zaczyna kończy wygasa styczeń stycznia lutego marca marcu kwietnia maja czerwca czerwcu lipca sierpnia września października listopada grudnia domu
i w z na do nie się że jest to o jak ale co po tak za od go już jego jej są dla czy tylko przez może bo był była było być by gdy kiedy gdzie kto kogo komu czym czego dlaczego jaki jaka jakie który która które których ile
mnie mi mój moja moje mam masz ma mają miał ten ta te tego tej tym tych ich im ja ty on ona oni my wy nas nam nasz pod nad przy przed bez u oraz lub albo też także jeszcze bardzo zawsze nigdy dziś dzisiaj wczoraj jutro teraz
mieszka pracuje lubi woli pije je nazywa potrzebuje używa mówi gra uczy nienawidzi chce trzeba
żona mąż dziecko dzieci córka syn matka ojciec siostra brat przyjaciel lekarz dzień tydzień miesiąc rok lat lata godzina godzinie poniedziałek wtorek środa środę czwartek piątek sobota sobotę niedziela
urodziny dom ulica ulicy miasto praca pracy szkoła adres telefon hasło nowy nowa nowe pies kot spotkanie wizyta uczulenie`,
		ends: `ego emu ymi ami ach owie ość ości ować ała ało ały anie enie ania enia ciu ski ska skie skiego owy owa owe nych`,
	},
	{
		code: "sv", pairs: "kj tj bj", letters: "åäö",
		words: `januari februari mars april maj juni juli augusti september oktober november december ingen
kaffe bil bilen kör köpa läser semester semestern passar träffas reser flyttar ringer hämtar sover börjar startar slutar betalar mjölk bröd tar hand bakade
och i att det som en på är av för med till den har de inte om ett han hon jag men var sig från vi så kan när år under också efter eller nu vid mot där ska skulle kommer ut får finns vara hade alla andra mycket än här då sin sitt sina bara in blir upp även vad få två vill ha hur vem vilken vilka varför mig dig oss min mitt mina din ditt hans hennes deras detta denna dessa ingen inga något några blev sedan utan mellan över
bor jobbar arbetar äter dricker gillar heter behöver använder talar spelar lär tycker föredrar hatar
fru man barn dotter son mor far mamma pappa syster bror vän läkare dag vecka månad timme klockan måndag tisdag onsdag torsdag fredag lördag söndag
allergisk mot födelsedag hus gata stad arbete skola adress telefonnummer lösenord ny nya nytt hund katt möte idag igår imorgon alltid aldrig`,
		ends: `ning ningar ningen het heten lig liga ligt arna erna orna ande isk iska skap sion tionen`,
	},
	{
		code: "da", pairs: "kj tj bj", letters: "æøå",
		words: `januar februar marts april maj juni juli august september oktober november december udløber ingen
hvilke kaffe bil bilen kører købe læser ferie ferien passer mødes rejser flytter ringer henter sover begynder starter slutter betaler brug mælk brød
og i at det er en til på som med for af de den der ikke har han hun jeg et var men om sig fra vi så kan når efter eller nu ved mod hvor skal skulle kommer ud får være havde alle andre meget end her da sin sit sine kun ind bliver op også hvad to vil hvordan hvem hvilken hvorfor hvornår mig dig os min mit mine din dit hans hendes deres dette denne disse ingen noget nogle blev siden uden mellem over
bor arbejder spiser drikker hedder kan lide bruger taler spiller lærer foretrækker hader bedst elsker
kone mand barn børn datter søn mor far søster bror ven læge dag uge måned år time klokken mandag tirsdag onsdag torsdag fredag lørdag søndag
allergisk fødselsdag hus gade by arbejde skole adresse telefonnummer adgangskode ny nye nyt hund kat møde i dag går morgen altid aldrig`,
		ends: `ning ninger ningen hed heden lig lige ligt erne ende isk iske skab tion tionen ede`,
	},
	{
		code: "no", pairs: "kj tj bj", letters: "æøå",
		words: `januar februar mars april mai juni juli august september oktober november desember utløper ingen
hvilke kaffe kaffen bil bilen kjører kjøpe leser ferie ferien passer møtes reiser flytter ringer henter sover begynner starter slutter betaler melk brød
og i at det er en til på som med for av de den der ikke har han hun jeg et var men om seg fra vi så kan når etter eller nå ved mot hvor skal skulle kommer ut får være hadde alle andre mye enn her da sin sitt sine bare inn blir opp også hva to vil hvordan hvem hvilken hvorfor meg deg oss min mitt mine din ditt hans hennes deres dette denne disse ingen noe noen ble siden uten mellom over
bor jobber arbeider spiser drikker heter liker bruker snakker spiller lærer foretrekker hater
kone mann barn datter sønn mor far søster bror venn lege dag uke måned år time klokken mandag tirsdag onsdag torsdag fredag lørdag søndag
allergisk bursdag hus gate by arbeid jobb skole adresse telefonnummer passord ny nye nytt hund katt møte dag går morgen alltid aldri`,
		ends: `ning ninger ningen het heten lig lige ende isk iske skap sjon sjonen ede`,
	},
	{
		code: "fi", pairs: "aa uu ii yy kk", letters: "äö",
		words: `kello vuosi aika ajan illalla aamulla loma loman kahvi kahvinsa auto auton kissaa koiraa koti kotiin ruoka hoitaa alkaa päättyy siirretty muuttaa muutamme tammikuussa helmikuussa maaliskuussa huhtikuussa toukokuussa kesäkuussa heinäkuussa elokuussa syyskuussa lokakuussa marraskuussa joulukuussa
ja on ei se että en olen ole oli hän mutta tai kun jos niin kuin mitä mikä missä milloin kuka kenen miksi miten mihin mistä kuinka montako paljonko
minä sinä me te he minun sinun hänen meidän heidän minulla hänellä meillä tämä tuo ne nämä joka jotka jossa jonka ovat olivat ollut myös vain nyt sitten vielä jo aina koskaan usein hyvin paljon kaikki mitään ilman kanssa jälkeen ennen sekä eikä
asuu työskentelee syö juo pitää pidä haluaa tarvitsee käyttää puhuu pelaa opiskelee vihaa tykkää käy tulee menee voi pitäisi
vaimo mies lapsi lapset lapsen tytär poika äiti isä sisko veli ystävä lääkäri päivä viikko kuukausi vuosi vuotta kello maanantai maanantaina tiistaina keskiviikkona torstaina perjantaina lauantaina sunnuntaina
allerginen syntymäpäivä talo katu kaupunki työ työssä koulu osoite puhelinnumero salasana uusi koira kissa kokous tänään huomenna eilen`,
		ends: `ssa ssä lla llä sta stä lta ltä lle ksi nen maan jen iden tään taan essa issa inen iset oita ista uus uuden yys minen mista kaa kää vat vät`,
	},
	{
		code: "tr", letters: "çğıöşüİ",
		words: `kahve kahvesi çay süt ekmek tatil tatilde araba arabayı ayında yılında kime kiminle neyi kediye köpeğe şekersiz okuyor bakacak kalkıyor uyuyor başlıyor bitiyor alıyor veriyor yapıyor biliyor geçen gelecek
ve bir bu da de için ile çok ama ne var yok mi mı mu mü gibi daha en olarak kadar sonra önce ben o biz siz onlar bana sana ona beni seni onu bizim benim senin onun nasıl neden niçin nerede nereye nereden kim kimin hangi kaç zaman her şey değil olan oldu olduğu olur ise ya veya hiç bugün dün yarın şimdi hep asla bile göre
yaşıyor çalışıyor seviyor sever sevmiyor içiyor yiyor istiyor kullanıyor konuşuyor oynuyor tercih ediyor eder gidiyor geliyor alerjisi gerekiyor
eşi karısı kocası çocuk çocuğu kızı oğlu annesi babası kardeşi arkadaşı doktor gün hafta ay yıl saat pazartesi salı çarşamba perşembe cuma cumartesi pazar
doğum günü ev evi sokak şehir iş okul adres adresi telefon numarası şifre şifresi yeni köpeği kedisi toplantı`,
		ends: `lar ları leri ların lerin lara lere yor iyor uyor ıyor dır dir tır tir mak mek miş mış dı acak ecek nda nde ndan nden sı sız siz lık lik luk`,
	},
	{
		code: "vi", letters: "ăâđêôơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹĩũàáèéìíòóùúýãõ",
		words: `và của là có không được cho các một những người trong với để khi này đã sẽ đang tôi anh chị em bạn ông bà nó họ chúng ta ai gì nào đâu sao thế bao nhiêu mấy cũng rất nhiều ở tại từ đến vào ra lên về bị như thì mà nhưng hoặc hay vì nên nếu
thích sống làm việc uống ăn dùng nói cần muốn biết mua đi ngày tuần tháng năm giờ thứ hai ba tư sáu bảy chủ nhật hôm nay qua mai
vợ chồng con gái trai mẹ cha bố sinh nhật nhà đường thành phố điện thoại mật khẩu mới chó mèo họp dị ứng`,
	},
	{
		code: "id", letters: "",
		words: `tanpa kopi gula teh susu roti nasi mobil motor libur liburan tidur bangun pergi datang beli bayar baca tulis januari februari maret juni juli agustus september oktober november desember
yang dan di dari ke untuk dengan pada adalah ini itu tidak akan ada juga sudah telah dalam oleh saya aku kamu anda dia mereka kami kita ia nya atau tetapi tapi karena jika kalau saat ketika seperti lebih sangat hanya bisa dapat harus belum masih sedang lagi setiap semua banyak
apa siapa kapan mana dimana bagaimana mengapa kenapa berapa bukan jangan hari minggu bulan tahun jam senin selasa rabu kamis jumat sabtu besok kemarin sekarang selalu
tinggal bekerja makan minum suka lebih memakai berbicara bermain belajar membenci punya alergi terhadap nama
istri suami anak putri putra ibu ayah kakak adik teman dokter ulang rumah jalan kota kerja kantor sekolah alamat nomor telepon sandi kata baru anjing kucing rapat`,
		ends:   `kan nya annya kannya inya anku`,
		starts: `meng meny memp pemb menj`,
	},
	{
		code: "hu", pairs: "sz gy zs cs", letters: "áéíóöőúüű",
		words: `a az és hogy nem is egy ez azt van volt meg csak de ha már mint még el ki mi hol mikor miért hogyan mennyi hány melyik kinek mit én te ő mi ti ők nekem neki nekünk engem ezt arra erre ami aki amely vagy nagyon mindig soha most ma tegnap holnap lesz lehet kell minden sok után előtt között szerint
lakik él dolgozik szereti szeret eszik iszik használ beszél játszik tanul utálja kér hívják
felesége férje gyerek gyereke lánya fia anyja apja testvére barátja orvos nap hét hónap év óra hétfő hétfőn kedd kedden szerda szerdán csütörtök csütörtökön péntek pénteken szombat szombaton vasárnap
allergiás születésnapja ház utca város munka iskola cím címe telefonszáma jelszó jelszava új kutyája macskája találkozó`,
		ends: `ban ben nak nek val vel ból ből ról ről tól től hoz hez ság ség ban ások ések ott ett unk ünk ják ják ik ként`,
	},
	{
		code: "ro", letters: "ăâîșțşţ",
		words: `și si în in la de pe cu nu este sunt a al ale ai o un una unei unui din care ce cine când unde cum de ce cât câți câte pentru că să se sa mai dar sau fi fost era au am are avea după fără între despre până foarte tot toate acum azi ieri mâine mereu niciodată doar acest această acesta aceasta eu tu el ea noi voi ei ele mă te îl îi lui lor meu mea mei mele său
locuiește lucrează mănâncă bea preferă place îi numește folosește vorbește joacă învață urăște trebuie poate vrea
soția soțul copil copii copilul fiica fiul mama tata sora fratele prieten medic zi ziua săptămână luna lună an ani ora luni marți miercuri joi vineri sâmbătă duminică
alergic alergică casa strada oraș orașul muncă serviciu școală adresa telefon parola nou nouă câine câinele pisica ședință`,
		ends: `ului ilor elor lui ție ția ții ește esc ează ului tate ător oare irea area urile`,
	},
	{
		code: "cs", letters: "áčďéěíňóřšťúůýž",
		words: `a v ve na se je že to s z do o i k pro ale jako za by si od po jsou byl byla bylo být jsem jsme jen už tak nebo když kde kdy kdo co jak proč který která které kolik jaký jaká jaké čí mě mi můj moje jeho její jejich ho mu ji jim ten ta tento tato má mají měl není nemá také ještě velmi vždy nikdy dnes včera zítra teď před mezi při bez u ze ke
bydlí žije pracuje jí pije má ráda rád jmenuje používá mluví hraje učí nesnáší potřebuje chce
manželka manžel dítě děti dcera syn matka otec sestra bratr přítel lékař den týden měsíc rok let hodin hodina pondělí úterý středa středu čtvrtek pátek sobota sobotu neděle
alergie narozeniny dům ulice město práce škola adresa telefon heslo nový nová nové pes kočka schůzka`,
		ends: `ého ému ých ými ích ost osti ování ovat ila ilo ská ské ský ová ové ový ně`,
	},
	{
		code: "sk", letters: "áäčďéíĺľňóôŕšťúýž",
		words: `a v vo na sa je že to s z zo do o i k pre ale ako za by si od po sú bol bola bolo byť som sme len už tak alebo keď kde kedy kto čo ako prečo ktorý ktorá ktoré koľko aký aká aké ma mi môj moja jeho jej ich ho mu ju im ten tá tento má majú mal nie nemá tiež ešte veľmi vždy nikdy dnes včera zajtra teraz pred medzi pri bez u
býva žije pracuje pije rada rád volá používa hovorí hrá učí potrebuje chce
manželka manžel dieťa deti dcéra syn matka otec sestra brat priateľ lekár deň týždeň mesiac rok rokov hodín pondelok utorok streda stredu štvrtok piatok sobota nedeľa
alergia narodeniny dom ulica mesto práca škola adresa telefón heslo nový nová nové pes mačka stretnutie`,
		ends: `ého ému ých ými ích osť osti ovanie ovať ila ilo ská ské ský ová ové ový`,
	},
	{
		code: "hr", pairs: "lj nj vj zd", letters: "čćđšž",
		words: `i u na je da se za od sa s su ne što kao ili ali iz koji koja koje kako gdje gde kada ko tko zašto koliko čiji bio bila bilo biti sam smo ste si će bi to taj ta ovaj ova ovo on ona oni mi vi ja ti moj moja njegov njegova njezin njen njena ih ga mu joj nam ima imaju nema nije nisu već samo vrlo veoma uvijek uvek nikad danas jučer juče sutra sada prije posle poslije između bez do po o
živi radi jede pije voli zove koristi govori igra uči mrzi treba želi
žena muž dijete dete djeca deca kći kćerka sin majka otac sestra brat prijatelj liječnik lekar dan tjedan nedelja mjesec mesec godina godine sat sati ponedjeljak ponedeljak utorak srijeda sreda srijedu sredu četvrtak petak subota nedjelja
alergičan alergična rođendan kuća ulica grad posao škola adresa telefon lozinka novi nova novo pas mačka sastanak`,
		ends: `ost osti anje enje anja enja ski ska sko skog iti ati ao ila ilo`,
	},
	{
		code: "sl", pairs: "lj nj vj zd", letters: "čšž",
		words: `in je v na da se za od s z so ne ki kot ali pa iz po o pri kako kje kdaj kdo zakaj koliko kateri katera čigav bil bila bilo biti sem smo ste si bo bi to ta ti on ona oni mi vi jaz moj moja njegov njegova njen njena jih ga mu ji nam ima imajo nima ni niso že samo zelo vedno nikoli danes včeraj jutri zdaj pred med brez do tudi
živi dela je pije rad rada ime uporablja govori igra uči sovraži potrebuje želi
žena mož otrok otroci hči sin mati oče sestra brat prijatelj zdravnik dan teden mesec leto let ura uri ponedeljek torek sreda sredo četrtek petek sobota nedelja
alergičen alergična rojstni hiša ulica mesto delo služba šola naslov telefon geslo novi nova novo pes mačka sestanek`,
		ends: `ost osti anje enje anja enja ski ska sko skega ega emu imi ati iti`,
	},
	{
		code: "ca", letters: "àçèéíïòóúü·",
		words: `he hem heu has ens us em cotxe cafè sucre te llet pa vacances llegeix compra paga dorm gener febrer març abril maig juny juliol agost setembre octubre novembre desembre
el la els les un una uns unes de del dels al als a amb en per per a sense sobre entre fins des i o ni que què qui quin quina quins quines quan quant on com si no més però perquè
es se seu seva seus seves el meu meva el teu jo ell ella nosaltres aquest aquesta aquests aquell això és són era eren va ser estat està estan té tenen tenia ha han hi ha fa pot molt també sempre mai ja ara avui ahir demà tot tots
viu treballa menja beu prefereix agrada diu necessita parla juga
dona home fill filla fills mare pare germana germà amic metge dia setmana mes any anys hora hores dilluns dimarts dimecres dijous divendres dissabte diumenge
al·lèrgic aniversari casa carrer ciutat feina escola adreça telèfon contrasenya nou nova gos gat reunió`,
		ends:   `ció cions tat tats ment ant ats ades eix`,
		elided: true,
	},
	{
		code: "et", pairs: "aa uu ii kk ", letters: "äõöü",
		words: `ja on ei et see mis kus kes millal miks kuidas kui palju kelle mida ta ma sa me te nad minu tema meie nende mul tal oli olid ole olen oma aga või ning ka veel juba alati kunagi väga ainult kõik täna homme eile nüüd pärast enne ilma koos
elab töötab sööb joob meeldib eelistab kasutab räägib mängib õpib vihkab vajab tahab
naine mees laps lapsed tütar poeg ema isa õde vend sõber arst päev nädal kuu aasta kell esmaspäev teisipäev kolmapäev neljapäev reede laupäev pühapäev
allergiline sünnipäev maja tänav linn töö kool aadress telefon parool uus koer kass koosolek`,
		ends: `sse test tele mise lise sid ust ega ikku`,
	},
	{
		code: "lv", letters: "āčēģīķļņšūž",
		words: `un ir ar no uz par ka kas kur kad kā kāpēc cik kurš kura tas tā es tu viņš viņa mēs jūs viņi mans mana viņas viņu man tev mums bija būs nav nevar bet vai arī jau vēl ļoti vienmēr nekad šodien vakar rīt tagad pēc pirms bez pie līdz
dzīvo strādā ēd dzer patīk sauc lieto runā spēlē mācās vajag grib
sieva vīrs bērns bērni meita dēls māte tēvs māsa brālis draugs ārsts diena nedēļa mēnesis gads gadi pirmdien otrdien trešdien ceturtdien piektdien sestdien svētdien
alerģija dzimšanas māja iela pilsēta darbs skola adrese tālrunis parole jauns jauna suns kaķis sapulce`,
		ends: `šana šanas ība ības ājs ēja iem ajā ām ās ēt āt īt`,
	},
	{
		code: "lt", letters: "ąčęėįšųūž",
		words: `ir yra kad su į iš per kaip bet ar tai kas kur kada kodėl kiek kuris kuri aš tu jis ji mes jūs jie mano tavo jo jos jų man jam jai buvo bus nėra turi taip pat jau dar labai visada niekada šiandien vakar rytoj dabar po prieš be prie iki apie
gyvena dirba valgo geria mėgsta nemėgsta vadinasi naudoja kalba žaidžia mokosi reikia nori
žmona vyras vaikas vaikai dukra sūnus motina tėvas sesuo brolis draugas gydytojas diena savaitė mėnuo metai metų pirmadienį antradienį trečiadienį ketvirtadienį penktadienį šeštadienį sekmadienį
alergija alergiškas gimtadienis namas gatvė miestas darbas mokykla adresas telefonas slaptažodis naujas nauja šuo katė susitikimas`,
		ends: `imas imo iai oje ose ais uoti ybė aus asis`,
	},
	{
		code: "sw", pairs: "mw nj nz", letters: "",
		words: `bila kahawa sukari chai maziwa mkate gari likizo jambo habari asubuhi jioni usiku kulala kununua kusoma kuandika januari februari machi aprili juni julai agosti septemba oktoba novemba desemba
na ya wa kwa ni katika la za cha vya si hii hiyo huyu yake wake wangu yangu zake lake sana pia kama lakini au kutoka hadi baada kabla leo jana kesho sasa daima kila wote yote nini nani wapi lini kwanini vipi gani ngapi mimi wewe yeye sisi ninyi wao ana nina tuna wana hana alikuwa ilikuwa kuwa
anaishi anafanya anakula anakunywa anapenda anapendelea anaitwa anatumia anazungumza anacheza anahitaji anataka hapendi
mke mume mtoto watoto binti mama baba dada kaka rafiki daktari siku wiki mwezi mwaka saa jumatatu jumanne jumatano alhamisi ijumaa jumamosi jumapili
mzio kuzaliwa nyumba mtaa mji kazi shule anwani simu nenosiri mpya mbwa paka mkutano`,
	},
	{
		code: "tl", letters: "",
		words: `ang ng sa mga na ay ni si kay at o pero kung hindi ito iyon siya ako ikaw kami tayo sila niya ko mo namin natin nila kanya akin kanyang aking may mayroon wala nasa para dahil ngayon kahapon bukas lagi kailanman lahat pa rin din lang po ano sino saan kailan bakit paano ilan alin
nakatira nagtatrabaho kumakain umiinom gusto ayaw gumagamit nagsasalita naglalaro kailangan
asawa anak ina ama kapatid kaibigan doktor araw linggo buwan taon oras lunes martes miyerkules huwebes biyernes sabado
alerdyi kaarawan bahay kalye lungsod trabaho paaralan tirahan telepono bago bagong aso pusa pulong`,
	},
	{
		code: "is", letters: "áðéíóúýþæö",
		words: `og að í á er það sem ekki við um hann hún en með var til fyrir af þess ég þú við þið þeir þær mér þér honum henni okkur sinn sín minn mín hans hennar hvar hvenær hver hvað hvers hvernig hversu vegna hefur hafa hafði eru voru verið alltaf aldrei mjög bara líka núna daginn gær morgun eftir án milli
býr vinnur borðar drekkur heitir notar talar spilar lærir þarf vill finnst
kona maður barn börn dóttir sonur móðir faðir systir bróðir vinur læknir vika mánuður ár klukkan mánudag þriðjudag miðvikudag fimmtudag föstudag laugardag
ofnæmi afmæli hús gata borg vinna skóli heimilisfang símanúmer lykilorð nýr ný hundur köttur fundur`,
		ends: `inn inum unum anna ður lega legt leg ingu`,
	},
	{
		code: "af", pairs: "aa uu", letters: "êëôû",
		words: `die en van in is dat nie vir met het om te op sy haar hy ek jy ons hulle julle dit wat wie waar wanneer hoekom hoe hoeveel watter aan by uit oor onder tussen sonder tot was word sal kan moet wil was baie ook nog net altyd nooit vandag gister môre nou elke alles niks as maar of
woon werk eet drink verkies gebruik praat speel leer hou haat benodig
vrou man kind kinders dogter seun moeder vader suster broer vriend dokter dag week maand jaar uur maandag dinsdag woensdag donderdag vrydag saterdag sondag
allergies verjaarsdag huis straat stad skool adres telefoonnommer wagwoord nuwe hond kat vergadering`,
		ends: `heid lik ies teit tjie skap`,
	},
	{
		code: "sq", letters: "ëç",
		words: `dhe në për me të e i që nga një është janë ka kanë nuk më si po por ose kur ku kush çfarë pse sa cili cila ai ajo ata unë ti ne ju tij saj tyre im ime jam ishte do duke edhe shumë gjithmonë kurrë sot dje nesër tani pas para pa deri
jeton punon ha pi pëlqen quhet përdor flet luan mëson duhet
gruaja burri fëmijë vajza djali nëna babai motra vëllai mik mjeku dita java muaji viti ora hënë martë mërkurë enjte premte shtunë diel
ditëlindja shtëpia rruga qyteti puna shkolla adresa telefoni fjalëkalimi ri re qeni macja takim`,
		ends: `ën ve isht uar shme imit`,
	},
	{
		code: "eu", letters: "ñ",
		words: `eta da ez du dut ditu zen zuen bat ere egin izan den dela baina edo noiz non nor zer zergatik nola zenbat nire bere haren gure zure hau hori hura ni zu gu haiek beti inoiz gaur atzo bihar orain oso dago daude dauka naiz gara dira zaio zait
bizi lan jaten edaten gogoko nahi behar erabiltzen
emaztea senarra umea seme alaba ama aita arreba anaia laguna medikua egun aste hilabete urte astelehen astearte asteazken ostegun ostiral larunbat igande
alergia urtebetetzea etxea kalea hiria lana eskola helbidea telefonoa pasahitza berria txakurra katua bilera`,
		ends: `aren arekin tzen ko ren tako rako ean etan`,
	},
	{
		code: "gl", letters: "ñáéíóú",
		words: `o a os as un unha uns unhas de do da dos das en no na nos nas ao aos por polo pola para con sobre entre ata e ou mais pero se que quen cal cando onde como porque non moi tamén sempre nunca xa agora hoxe onte mañá todo
seu súa meu miña eu el ela eles nós este esta isto é son era foi foron ser está están ten teñen tiña hai pode debe
vive traballa come bebe prefire gusta chama precisa usa fala xoga
muller home fillo filla nai pai irmá irmán amigo médico día semana mes ano anos hora luns martes mércores xoves venres sábado domingo
alerxia aniversario casa rúa cidade traballo escola enderezo teléfono contrasinal novo nova can gato reunión`,
		ends: `ción cións dade mente ando endo ado ada ados adas`,
	},
}
