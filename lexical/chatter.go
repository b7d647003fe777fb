package lexical

import (
	"strings"
	"unicode"
)

// Chatter is what people say to an assistant without asking for a memory: greetings,
// thanks, farewells, assent and small talk, in the languages of the stop words and some
// more. docs/decisions/0084-nothing-relevant.md.
//
// chatterWords may occur in any order and number, chatterPhrases alone or next to them.
const chatterWords = `
hello hi hey heya hiya howdy yo sup greetings morning evening bye goodbye cya
thanks thank thankyou thx ty cheers welcome please sorry
ok okay kk okey great cool awesome perfect super wonderful excellent fantastic brilliant yes yeah yep yup no nope sure fine alright right got
lol haha hahaha hehe hmm hm wow oh ah um
hallo hi servus moin gruss grussgott tschuss tschuess ciao danke dankeschon bitte ja nein klar prima toll super genau
bonjour bonsoir salut coucou merci oui non daccord
hola adios gracias vale claro genial
ciao salve buongiorno buonasera buonanotte arrivederci grazie prego si va bene
ola oi tchau obrigado obrigada sim nao
hoi dag doei bedankt dankjewel dankuwel goedemorgen goedemiddag goedenavond nee graag
hej tack hejda tjena ja nej tak farvel hei takk moi terve kiitos moikka
czesc dziekuje dzieki ahoj diky dekuji szia koszonom salut multumesc
привет здравствуйте здравствуй спасибо пока да нет ок хорошо привіт дякую
merhaba selam tesekkurler tesekkur tamam evet hayir
γεια ευχαριστω καλημερα
مرحبا شكرا اهلا
שלום תודה
नमस्ते धन्यवाद
halo terimakasih xinchao
你好 您好 谢谢 谢谢你 早上好 再见 好的 こんにちは ありがとう ありがとうございます おはよう おはようございます 안녕하세요 안녕 감사합니다 สวัสดี ขอบคุณ`

// chatterRests are words that may remain next to chatterWords: "thanks a lot".
const chatterRests = `
alles
good
it
there
you
again
a lot
so much
very much
guten
gott
dir
dir auch
schon
vielen
sehr
beaucoup
bien
muchas
mille
molte
muito
dank
mange
tusen
ederim
you so much
you very much`

const chatterPhrases = `
good day
good night
good afternoon
thats all
that is all
thats it
see you
see you later
talk to you later
who are you
what are you
what is your name
whats your name
how are you
how are you doing
hows it going
how is it going
whats up
what is up
nice to meet you
are you there
can you hear me
can you help me
could you help me
help me
what can you do
what can you do for me
what do you do
never mind
nevermind
no problem
tell me a joke
tell me something funny
tell a joke
sing a song
tell me a story
guten tag
guten morgen
guten abend
gute nacht
vielen dank
das ist alles
alles klar
alles gut
das wars
wer bist du
wie heisst du
wie geht es dir
wie gehts
was kannst du
kannst du mir helfen
hilf mir
bis bald
bis spater
auf wiedersehen
erzahl mir einen witz
erzahle mir einen witz
ca va
comment ca va
comment vas tu
qui es tu
que sais tu faire
peux tu maider
bonne nuit
bonne journee
au revoir
a bientot
raconte moi une blague
buenos dias
buenas tardes
buenas noches
como estas
que tal
quien eres
que puedes hacer
puedes ayudarme
hasta luego
cuentame un chiste
come stai
chi sei
cosa sai fare
puoi aiutarmi
raccontami una barzelletta
bom dia
boa tarde
boa noite
tudo bem
como vai
quem e voce
o que voce pode fazer
conte uma piada
dank je
dank je wel
goede morgen
hoe gaat het
wie ben je
wat kun je
vertel een grap
god morgon
god morgen
hur mar du
hvordan har du det
vem ar du
hvem er du
dzien dobry
kim jestes
dobry den
jo napot
доброе утро
добрый день
добрый вечер
как дела
кто ты
что ты умеешь
расскажи анекдот
добрий день
gunaydin
nasilsin
sen kimsin
selamat pagi
terima kasih
السلام عليكم
كيف حالك
من أنت
מה שלומך
आप कौन हैं
你是谁
你能做什么
讲个笑话
元気ですか
あなたは誰ですか`

// maxChatter is the length of the longest text that may be chatter, in bytes.
const maxChatter = 80

var (
	chatterWord   = chatterForms(strings.Fields(chatterWords))
	chatterRest   = chatterForms(strings.Split(chatterRests, "\n"))
	chatterPhrase = chatterForms(strings.Split(chatterPhrases, "\n"))
)

func chatterForms(list []string) map[string]bool {
	forms := make(map[string]bool)
	for _, text := range list {
		if form := chatterForm(text); form != "" {
			forms[form] = true
		}
	}
	return forms
}

// IsChatter reports whether a text is a greeting, thanks, assent or small talk that asks
// for nothing an entry could hold.
func IsChatter(text string) bool {
	if len(text) > maxChatter {
		return false
	}
	text = chatterForm(text)
	if chatterPhrase[text] {
		return true
	}
	var rest []string
	greets := false
	for word := range strings.FieldsSeq(text) {
		if chatterWord[word] {
			greets = true
		} else {
			rest = append(rest, word)
		}
	}
	left := strings.Join(rest, " ")
	return greets && (left == "" || chatterRest[left] || chatterPhrase[left])
}

// chatterForm returns a text's folded words, separated by spaces. An apostrophe joins the
// letters on both sides.
func chatterForm(text string) string {
	var form []byte
	for _, r := range text {
		switch {
		case r == '\'' || r == '’':
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r):
			form = appendFolded(form, r)
		case len(form) > 0 && form[len(form)-1] != ' ':
			form = append(form, ' ')
		}
	}
	return strings.TrimSuffix(string(form), " ")
}

// opening is the maximum number of words in the opening of a reply: "Thanks, Ana!"
const opening = 3

// IsReply reports whether a text addresses somebody rather than stating something: it
// opens with a greeting, thanks or assent, or ends with a question. The speaker's name and
// a colon may precede it.
func IsReply(text string) bool {
	text = strings.TrimSpace(text)
	if name, rest, ok := strings.Cut(text, ": "); ok && len(strings.Fields(name)) <= opening && len(name) <= maxChatter {
		text = strings.TrimSpace(rest)
	}
	if strings.HasSuffix(text, "?") || strings.HasSuffix(text, "？") {
		return true
	}
	end := strings.IndexFunc(text, func(r rune) bool { return unicode.IsPunct(r) && r != '\'' && r != '’' && r != '-' })
	if end < 0 || end > maxChatter {
		return false
	}
	words := strings.Fields(chatterForm(text[:end]))
	return 0 < len(words) && len(words) <= opening && chatterWord[words[0]]
}
