package lexical

import (
	"math/bits"
	"strings"
)

// stopWords are the function words of each language, folded. Questions are full of them
// ("when did she …"), and BM25 would weigh them as rare where the entries are statements.
// Only queries leave them out: a document retains every word. English "may" is not listed,
// because it is also a month.
var stopWords = [...]string{
	// English
	`a an the this that these those
	i me my myself we us our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
	it its itself they them their theirs themselves
	what which who whom whose when where why how
	am is are was were be been being have has had having do does did doing done
	will would shall should can could might must ought
	cant cannot couldnt dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt shouldnt mustnt aint
	im ive id ill youre youve hes shes weve theyre theyve lets thats
	and but if or nor because as until while than though although
	of at by for with about against between into through during before after above below to from up down in out on off
	over under upon within without toward towards
	again further then once here there all any both each few more most other some such no not only own same so too very`,
	// Spanish
	`el la los las lo un una unos unas de del al a ante con contra desde en entre hacia hasta para por segun sin sobre tras
	y e o u ni que quien quienes cual cuales cuanto cuanta cuantos cuantas cuando donde como si no mas pero porque pues
	se su sus le les me mi mis te tu tus nos yo el ella ellos ellas este esta estos estas ese esa esos esas eso esto
	es son era eran fue fueron ser sido sea esta estan estaba ha han habia hay tiene tienen tuvo muy ya tambien`,
	// French
	`le la les un une des du de au aux a en dans par pour sur sous avec sans entre vers chez
	et ou ni mais donc car que qui quoi dont quel quelle quels quelles quand comment pourquoi combien si ne pas plus
	se sa son ses leur leurs ma mon mes ta ton tes notre nos votre vos je tu il elle on nous vous ils elles ce cet cette ces cela
	est sont etait etaient etre ete fut furent a ont avait avaient avoir eu y est-ce tres`,
	// German
	`der die das den dem des ein eine einen einem einer eines kein keine
	und oder aber denn weil dass ob wenn als wie wer wen wem wessen was wann wo warum wieso welche welcher welches welchen wohin woher
	in im an am auf aus bei beim mit nach von vom vor zu zum zur uber unter durch fur gegen ohne um bis seit
	ich du er sie es wir ihr mich dich sich mir dir ihm ihn ihnen uns euch mein meine dein deine sein seine ihre
	ist sind war waren sein wurde wurden wird werden hat haben hatte hatten nicht auch noch nur sehr so dann da`,
	// Italian
	`il lo la i gli le un uno una di a da in con su per tra fra del dello della dei degli delle al allo alla ai agli alle
	dal dalla dai dalle nel nello nella nei nelle sul sulla sui sulle e ed o ma se che chi cui quale quali quanto quanta quanti quante
	quando dove come perche non piu si suo sua suoi sue mio mia loro io tu lui lei noi voi questo questa questi queste quello quella
	e sono era erano fu furono essere stato stata ha hanno aveva avevano ci ne anche molto`,
	// Portuguese
	`o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela pelos pelas para com sem sobre entre ate desde
	e ou mas se que quem qual quais quanto quanta quantos quantas quando onde como porque nao mais
	seu sua seus suas meu minha eu tu ele ela eles elas nos voce este esta estes estas esse essa isso isto aquele aquela
	e sao era eram foi foram ser sido esta estao estava ha tem tinha muito tambem ao aos`,
	// Dutch
	`de het een en of maar want dat die dit deze wie wat waar wanneer waarom hoe welke welk
	in op aan van voor met bij naar uit over onder tussen door tegen zonder tot om te
	ik jij je hij zij ze wij we jullie u mij me hem haar ons hun mijn zijn
	is was waren zijn wordt worden werd werden heeft hebben had hadden niet geen ook nog er dan als`,
	// Russian
	`и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от меня еще нет о из ему
	когда даже ли если уже или ни быть был него до вас нибудь вам сам чтоб без чего себе под будет кто этот того потому этого какой какая какие каком
	какого где есть ней для мы тебя их чем была сколько почему при были который которая которые это`,
	// Arabic
	`من في على الي عن مع هل ما ماذا متي اين كيف كم لماذا التي الذي الذين هو هي هم هذا هذه ذلك تلك كان كانت يكون تكون ان او ثم لم لن لا قد
	و بين بعد قبل عند عندما اي ايه منذ حتي كل غير`,
	// Danish
	`og i at det er en et den de til paa pa som med for af ikke har han hun jeg du var men om sig fra vi sa kan nar efter eller nu ved mod hvor skal
	ville vil hvad hvem hvilken hvilke hvilket hvorfor hvornar hvordan mig dig os jer min mit mine din dit dine sin sit sine hans hendes deres denne dette disse der
	ogsa havde blev bliver vaere vaeret sit der dem ham hende man noget nogen nogle ingen under over mellem uden`,
	// Finnish
	`ja on ei se etta en olen olet oli ole hanen han mutta tai kun jos niin kuin mita mika missa mista mihin milloin kuka kenen kenella ketka miksi miten kuinka montako paljonko
	mina sina me te he minun sinun hanen meidan teidan heidan minulla sinulla hanella meilla tama tuo ne nama joka jotka jossa jonka jota ovat olivat ollut olla myos sen sita siita sille
	eika seka vaan`,
	// Hungarian
	`a az es hogy nem is egy ez azt ezt van volt meg csak de ha mar mint el ki mi mit mik hol hova honnan mikor miert hogyan mennyi hany melyik kinek kik en te o ti ok nekem neki
	arra erre ami aki amely vagy kell lesz lehet voltak vannak vele benne rola ott itt`,
	// Norwegian
	`og i at det er en et ei den de til pa som med for av ikke har han hun jeg du var men om seg fra vi sa kan nar etter eller na ved mot hvor skal
	ville vil hva hvem hvilken hvilke hvilket hvorfor hvordan meg deg oss dere min mitt mi mine din ditt dine sin sitt sine hans hennes deres denne dette disse der
	ogsa hadde ble blir vaere vaert dem ham henne man noe noen ingen under over mellom uten`,
	// Romanian
	`si in la de pe cu nu este sunt a al ale ai o un una unei unui unor din care ce cine cand unde cum cat cati cate pentru ca sa se mai dar sau fi fost era erau am are au avea
	dupa fara intre despre pana acest aceasta acestea eu tu el ea noi voi ei ele ma te il ii imi isi lui lor meu mea mei mele tau sau sa`,
	// Swedish
	`och i att det som en ett pa ar av for med till den de har inte om han hon jag du men var sig fran vi sa kan nar under ocksa efter eller nu vid mot dar ska skulle hade
	vad vem vilken vilka vilket varfor hur mig dig oss er min mitt mina din ditt dina sin sitt sina hans hennes deras detta denna dessa blev blir vara varit dem honom henne man nagon nagot nagra ingen
	over mellan utan`,
	// Turkish
	`ve bir bu su da de icin ile cok ama ne var yok mi mu gibi en olarak kadar sonra once ben sen o biz siz onlar bana sana ona beni seni onu bizim benim senin onun
	nasil neden nicin nerede nereye nereden kim kimin kime hangi kac her sey degil olan oldu olur ise ya veya ki`,
}

// commonLanguages is the number of languages so common that a word in capitals may be one
// of their stop words.
const commonLanguages = 9

// stopWordCodes are the languages of stopWords.
var stopWordCodes = [...]string{"en", "es", "fr", "de", "it", "pt", "nl", "ru", "ar", "da", "fi", "hu", "no", "ro", "sv", "tr"}

// stopWordBits are the bits of the languages in stopWordLanguages.
var stopWordBits = func() map[string]uint {
	bits := make(map[string]uint)
	for i, code := range stopWordCodes {
		bits[code] = 1 << i
	}
	return bits
}()

// stopWordBit returns the bit of a language in stopWordLanguages, 0 if it has none.
func stopWordBit(code string) uint { return stopWordBits[code] }

// stopWordLanguages maps each stop word to a bit set of its languages, the
// indices of stopWords.
var stopWordLanguages = makeStopWordLanguages()

func makeStopWordLanguages() map[string]uint {
	table := make(map[string]uint)
	for language, words := range stopWords {
		for word := range strings.FieldsSeq(words) {
			table[word] |= 1 << language
		}
	}
	return table
}

// hanStopCharacters are Chinese characters that act as stop words, simplified
// and traditional. They are left out only on their own, never from bigrams,
// where they are part of other words.
const hanStopCharacters = "的了是在和有什哪谁吗呢个多少几为怎如何被于从对与及而之其些里时候这那它他她们到以" +
	"麼么誰嗎個幾為於從對與裡時這們"

// stopWordMode is how an analysis treats stop words.
type stopWordMode uint8

const (
	keepStopWords  stopWordMode = iota // index them like other words
	countStopWords                     // index them, and count them by language
	dropStopWords                      // leave out those of the query's language
)

// isStopWord reports whether to leave a word out: in mode dropStopWords, a stop word of
// the query's language that is not capitalized as a name. In mode countStopWords it counts
// the word for its languages, but an acronym ("LOR", "SITA") for the most common languages
// only.
func (a *analysis) isStopWord(folded []byte, name, acronym bool) bool {
	switch a.mode {
	case countStopWords:
		rest := stopWordLanguages[string(folded)]
		if acronym {
			rest &= 1<<commonLanguages - 1
		}
		for ; rest != 0; rest &= rest - 1 {
			a.votes[bits.TrailingZeros(rest)]++
		}
	case dropStopWords:
		return stopWordLanguages[string(folded)]&a.language != 0 && !(name && len(folded) > 1)
	}
	return false
}

// isHanStopCharacter is isStopWord for a Chinese character.
func (a *analysis) isHanStopCharacter(r rune) bool {
	return a.mode == dropStopWords && strings.ContainsRune(hanStopCharacters, r)
}

// detectLanguage returns the bit of the language with the most stop words in the query,
// the first of several, or 0 if the query has none.
func (a *analysis) detectLanguage() uint {
	best := 0
	for language, votes := range a.votes {
		if votes > a.votes[best] {
			best = language
		}
	}
	if a.votes[best] == 0 {
		return 0
	}
	return 1 << best
}
