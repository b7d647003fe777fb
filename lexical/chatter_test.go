package lexical_test

import (
	"testing"
	"time"

	"mneme/lexical"
)

func TestGreetingsThanksAndSmallTalkAreChatter(t *testing.T) {
	for _, text := range []string{
		"hey there", "Hi!", "OK, thanks a lot", "thank you so much!", "good evening", "yes please", "no thanks", "bye, see you later", "lol ok",
		"What's your name?", "how are you doing?", "hi, can you hear me?", "Never mind.", "sing a song",
		"Moin!", "vielen Dank", "Guten Abend", "alles klar danke", "Wie heißt du?", "kannst du mir helfen?", "bis später",
		"bonsoir", "merci beaucoup !", "comment ça va ?", "au revoir", "gracias", "¡Buenas noches!", "¿Qué tal?", "grazie mille", "buongiorno",
		"obrigado", "boa tarde", "dank je wel", "tack", "kiitos", "dziękuję", "привет", "Спасибо!", "как дела?", "teşekkürler", "γεια", "شكرا", "תודה",
		"धन्यवाद", "谢谢", "你好！", "ありがとう。", "감사합니다", "สวัสดี",
	} {
		if !lexical.IsChatter(text) {
			t.Errorf("%q is not chatter", text)
		}
	}
}

func TestRequestsAreNotChatter(t *testing.T) {
	for _, text := range []string{
		"", "?", "who said hello to Anna?", "thanks letter to the committee", "good wine", "it", "again", "the morning routine", "help with taxes",
		"What can Anna do?", "ok button colour", "hello world program", "Super Bowl", "who are the tenants?", "schon bezahlt", "Dank an die Feuerwehr",
		"buenos días es el nombre del café", "sehr", "good", "Klarinette", "how is the weather in Bergen", "E417", "42",
	} {
		if lexical.IsChatter(text) {
			t.Errorf("%q is chatter", text)
		}
	}
}

func FuzzIsChatter(f *testing.F) {
	f.Add("thanks, that's all")
	f.Add("谢谢")
	f.Add("\xff ok")
	f.Fuzz(func(t *testing.T, text string) {
		if lexical.IsChatter(text) && !lexical.IsChatter("  "+text+" !") && len(text) < 70 {
			t.Errorf("%q is chatter, and not with a mark of exclamation", text)
		}
		lexical.PastOf(text).Before(time.Unix(0, 0))
	})
}

func TestQuestionsAboutThePast(t *testing.T) {
	statement := time.Date(2026, 5, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string]bool{
		"Where did Marta live before?":                  true,
		"What used to be the fare?":                     true,
		"Who was formerly the caretaker?":               true,
		"What was the price in 2024?":                   true,
		"Which bank did we have last year?":             true,
		"Wo wohnte Marta früher?":                       true,
		"Wer war vor März 2026 zuständig?":              true,
		"¿Dónde vivía Marta antes?":                     true,
		"Où habitait Marta auparavant ?":                true,
		"Где Марта жила раньше?":                        true,
		"马塔以前住在哪里":                                      true,
		"Where does Marta live now?":                    false,
		"What is the fare?":                             false,
		"What did we decide?":                           false,
		"What was the price in 2026?":                   false,
		"How did it change from 2024 to 2026?":          false,
		"Wer steht vor dem Haus?":                       false,
		"How old is Ben?":                               false,
		"What is used to clean it?":                     true, // by its words: it could be a habit
		"The order 2024-17 was sent to whom, and by 27": true, // a number like a year
	} {
		if got := lexical.PastOf(text).Before(statement); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
