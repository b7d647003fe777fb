package lexical

import "strings"

// happenedWords are the words, besides stop words, of a question about all events at a
// time: "what did I do", "what happened", "show me all events of". They are folded, in the
// languages of the stop words and a few more.
const happenedWords = `
happen happened happens happening occur occurred done did do doing made make take took place
event events entry entries memory memories note notes everything anything something thing things stuff
list show tell give find recall remember remind say said write wrote written record recorded plan planned plans
today days day week month year date time new news start started be been got get know known please
habe hab hatte hatten haben habt ich wir passiert passierte geschah geschehen geschieht gab gibt los gemacht machte machten mache machen tat getan tun
ereignis ereignisse eintrag eintrage notiz notizen alles etwas zeig zeige erzahl tag termine termin geplant vor stand steht fand finden statt lief
paso pasa pasado ocurrio sucedio hice hizo hicimos hicieron hacer hacemos hecho habia hubo evento eventos nota notas todo algo dia planes
quest jai passe passa fait faite faits faire faisais faisait fis fit arrive arriva evenement evenements jour tout quelque chose prevu ai as
successo accaduto fatto fatta facevo fare feci ho hai abbiamo evento eventi giorno tutto qualcosa cosa
aconteceu acontece fiz fez fizemos feito fazer houve dia tudo algo coisa
gebeurde gebeurd gebeurt gedaan deed deden doen gemaakt dag alles iets dingen
hande hant skedde hander gjorde gjort gjorda gora dag allt nagot skjedde skjer gjore gjorde alt noe skete sket sker dag alting noget hvad hva vad jeg jag
tapahtui tapahtunut tein teki teimme tehtiin tehnyt paiva kaikki jotain mita oli
что было делал делала делали сделал сделала произошло случилось происходило день события событие все
oldu olmus oldular yaptim yapti yaptik yaptin yapildi gun olay olaylar ne neler
zdarzylo stalo dzialo robilem robilam robil robiles zrobilem zrobilam zrobil bylo dzien co wszystko
stalo delal delala udelal udelala bylo den vse co jsem
tortent csinaltam csinalt nap mi minden
intamplat facut facea zi tot ce am a fost
حدث فعلت يوم ماذا ما
קרה עשיתי יום מה
हुआ किया दिन क्या था मैंने`

// particularWords ask for one particular detail of an event: who, where, why, how much.
const particularWords = `
who whom whose where why how
wer wen wem wessen wo wohin woher warum wieso weshalb wie wieviel
quien quienes donde adonde como cuanto cuanta cuantos cuantas
qui ou pourquoi comment combien
chi dove perche come quanto quanta quanti quante
quem onde porque como quanto quanta quantos quantas
wie waar waarom hoe hoeveel
vem var varfor hur hvem hvor hvorfor hvordan hvornar
kuka ketka missa mihin mista miksi miten kuinka
кто кого кому где куда откуда почему зачем как сколько
kim kimi kime kimin nerede nereye nereden neden nicin nasil kac
ki kit kinek hol hova honnan miert hogyan hany mennyi
cine unde cum cat cata cati cate
kto kogo gdzie dlaczego jak ile kde proc kolik
من اين لماذا كيف كم
מי איפה למה איך כמה
कौन कहाँ क्यों कैसे कितना`

// happenedSigns are happenedWords of scripts without spaces between words. A search looks
// for what remains of a question after their removal.
var happenedSigns = strings.Fields(`何をしました 何をした 何があった 何がありました 何 しました ました した する ありました あった こと 私 なに か は を が に の で
做了什么 发生了什么 做了 发生了 发生 什么 做 有 了 我 事 干 在 的 做過 發生了什麼 發生 什麼 事情
무엇을 했 나요 습니까 무슨 일이 있었 뭐 했어 했나 을 를 은 는 이 가 에`)

var (
	happenedWord   = pastForms(strings.Fields(happenedWords))
	particularWord = pastForms(strings.Fields(particularWords))
)

// AsksWhatHappened reports whether a question asks for everything at the time that it
// names. rest is the question without that time: its only words are stop words of one
// language and words that ask for events of any kind.
func AsksWhatHappened(rest string) bool {
	if len(rest) > maxChatter {
		return false
	}
	languages := ^uint(0) // in which all words are stop words: "war" is one in German alone
	asked := false        // whether a word asks for one detail
	words := strings.Fields(chatterForm(rest))
	for _, word := range words {
		if particularWord[word] {
			asked = true
		}
		if !happenedWord[word] && !isSigns(word) {
			languages &= stopWordLanguages[word]
		}
	}
	return languages != 0 && !asked
}

// isSigns reports whether a word consists only of happenedSigns.
func isSigns(word string) bool {
	if first := kindOf([]rune(word)[0]); first != cjk && first != unspaced && !isHangul(word) {
		return false
	}
	for _, sign := range happenedSigns {
		word = strings.ReplaceAll(word, chatterForm(sign), "")
	}
	return word == ""
}

// isHangul reports whether a word begins with a Hangul syllable.
func isHangul(word string) bool { return word >= "가" && word < "힤" }
