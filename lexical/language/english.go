package language

import "strings"

// englishGrammar are English function words, about half of the words of a sentence.
const englishGrammar = `
a an the this that these those i me my myself we us our ours ourselves you your yours yourself he him his himself she her hers herself
it its itself they them their theirs themselves what which who whom whose when where why how
am is are was were be been being have has had having do does did doing done will would shall should can could might must may
cant cannot couldnt dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt wont wouldnt shouldnt aint
im ive ill youre youve hes shes weve theyre theyve lets thats whats
and but if or nor because as until while than though although so too very not no nothing none never always also just only even still already yet
of at by for with about against between into through during before after above below to from up down in on off over under upon within without toward towards
again further then once here there now today tomorrow yesterday all any both each every few more most other some such own same
something anything everything someone anyone everyone`

// englishWords are other common words, and words that another language has too: "die",
// "comment", "come", "sale". Of the words of English alone, the list needs only enough for
// a note without function words ("prefers window seats").
const englishWords = `
die hat war bald wand arm man men per son pour main car chat font sans comment tout elle est sur use sale gift plan fast kind rat hut tag not rot gut boot
red real total local animal normal final sin con come pan dice tip para sent mine son tan ten den dem ton bin des he as on me do go or at via fin lit dent
van die want we had over water man week school hand hond bed dress best beer been last land rest ring wild warm wind winter zone west test ten top toe sap
ring art gang bad glad god grad hang hall hell fall fort ham hem kit kite led let lid log log men min mini order part plan port post rum sad salt sand side sin skill spot stark start stick stop stress sun till to under vet var
era far fare date dove due fine grave large male note ore pace pane pasta pizza piano pure rose sole sera solo stare tale vale vino zone note amo media visa villa
fare face film radio video music piano menu hotel bar taxi bus metro club sport tennis golf pop rock jazz internet web email online app data server
no me ha do re pro ya pa ta ma vs ex
are ice mere cent cote cure dot don pas plus point pose poster pore rare rage rayon rive robe route sable sage sauce secret sort sole tire tour train verse vice voyage
made make makes making take takes taken took get gets got getting give gives gave given go goes going went gone come comes coming came
see sees saw seen look looks looked looking say says said tell tells told ask asks asked asking know knows knew known think thinks thought
want wants wanted like likes liked love loves loved hate hates need needs needed use uses used using work works worked working live lives lived living
play plays played playing run runs ran running eat eats ate eating drink drinks drank drinking prefer prefers preferred speak speaks spoke call calls called
keep keeps kept let put puts set sets start starts started stop stops stopped try tries tried help helps helped show shows showed shown
find finds found buy buys bought pay pays paid read reads write writes wrote written learn learns learned watch watches watched meet meets met leave leaves left
wear wears drive drives drove sleep sleeps slept open opens close closes move moved visit visited book booked plan planned cook cooks bake baked
good better best bad worse great new old big small little long short high low young early late next last first second third two three four five six seven eight nine ten
many much lot lots really well maybe please thanks thank sorry yes okay ok hi hello hey wow oh
time times year years month months week weeks day days hour hours minute minutes morning evening night afternoon weekend monday tuesday wednesday thursday friday saturday sunday
january february march april june july august september october november december birthday
people person friend friends family mother father mom mum dad sister brother wife husband son sons daughter daughters child children kid kids baby boy girl woman women men
house home room kitchen door window car train bus flight seat road street city town country place school office job company team project meeting appointment doctor dentist
dog dogs cat cats food water coffee tea milk bread cheese apple fish meat egg eggs sugar salt dinner lunch breakfast restaurant allergy allergic allergies
phone number address password key code file name names email message letter page list note notes thing things way world life money price
red green blue black white brown yellow orange grey gray color colour
favorite favourite hobby hobbies game games movie movies song songs music book books shoes shirt bike bicycle
effect effects patients patient cells cell treatment study studies results increased reduced analysis method high levels protein gene human mice disease risk cancer using used system systems theory model
ale alas algo alias ana ante arm aye bare barn bat bay belt bet bile bins born bra bud care cal call can casa chi dare dig dome done door dorm duke end ego ergo fiat
fill fills fins fur gala gate gin gram gun hay heel hen hens hop hoe hover hue hum inn jam jar jet kin kilo lake lama lame lane lapse lapsed laser lei lens lime lord lung
mall mango manga mare mart mass mat mate mates mea melt memo mesa mesh mess mint mist mod modes mode mole motor mums must nap nasa navel net nil nova novel novo null nun ode omit oral pad pai pal pane par parole parse part
pat path paw pee pendant perk pet pie pies pod polo pond pose pot proc quant quanta quota rad ran reed rein reunion rip rod role rote rue sage sat sauce sea sec semester sense sever sew sham sine sit ski soda sofa sola sole
soon sot soy spa stats suite suns tad tap tall tame ted telephone temp tens tent term tie toil tor tore tot tots tram trap tree tuna tutor usa vac vague vain vans veal vein venue vet via vie view villa ville viola viper vita volt wake wat
wet wile wink wok won word wore worm yang yen zen zero hade meson mina bison agenda auto autos taxi salsa fiesta siesta patio amigo mama papa modal meter liter literal
facto ad hoc vitro vivo situ et al`

// loanWords are words of other languages in English texts, weak evidence.
const loanWords = `crème brûlée déjà vu vis à résumé café cafe naïve façade fiancé fiancée entrée cliché protégé touché passé soirée rosé sauté purée jalapeño
piñata señor señora`

// englishWeights returns the evidence weight of each word of the lists.
func englishWeights() map[string]float32 {
	words := make(map[string]float32)
	for word := range strings.FieldsSeq(loanWords) {
		words[word] = loanWeight
	}
	for word := range strings.FieldsSeq(englishWords) {
		words[word] = contentWeight
	}
	for word := range strings.FieldsSeq(englishGrammar) {
		words[word] = grammarWeight
	}
	return words
}
