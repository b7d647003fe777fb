package lexical

// irregularForms are English inflections that no suffix rule conflates: an entry says
// "went", and a question "go". Each line is one group; its first word gives the stem.
// Forms that are as often words in their own right are left out (left, found, wound, bore,
// lay). The last lines are British and American spellings with different stems.
const irregularForms = `
become became
begin began begun
bend bent
bite bit bitten
bleed bled
blow blew blown
break broke broken
breed bred
bring brought
build built
rebuild rebuilt
buy bought
catch caught
choose chose chosen
cling clung
come came
creep crept
deal dealt
dig dug
do did done
draw drew drawn
dream dreamt
drink drank drunk
drive drove driven
eat ate eaten
fall fell fallen
feed fed
feel felt
fight fought
flee fled
fly flew flown
forbid forbade forbidden
forget forgot forgotten
forgive forgave forgiven
freeze froze frozen
get got gotten
give gave given
go went gone goes
grow grew grown
hang hung
have had has
hear heard
hide hid hidden
hold held
keep kept
kneel knelt
know knew known
lead led
lean leant
leap leapt
learn learnt
lend lent
lose lost
make made
meet met
overcome overcame
pay paid
prove proven
ride rode ridden
ring rang rung
rise risen
run ran
say said
see saw seen
seek sought
sell sold
send sent
shake shook shaken
shine shone
shoot shot
show shown
shrink shrank shrunk
sing sang sung
sink sank sunk
sit sat
sleep slept
slide slid
speak spoke spoken
spell spelt
spend spent
spill spilt
spin spun
spit spat
spoil spoilt
spring sprang sprung
stand stood
steal stole stolen
stick stuck
sting stung
stride strode
strike struck
swear swore sworn
sweep swept
swell swollen
swim swam swum
swing swung
take took taken
teach taught
tear tore torn
tell told
think thought
throw threw thrown
undergo underwent undergone
understand understood
undertake undertook undertaken
undo undid undone
wake woke woken
wear wore worn
weave wove woven
weep wept
win won
withdraw withdrew withdrawn
write wrote written
child children
foot feet
goose geese
half halves
knife knives
man men
mouse mice
ox oxen
person people
shelf shelves
thief thieves
tooth teeth
wife wives
wolf wolves
woman women
behavior behaviour
center centre
color colour
favorite favourite
fiber fibre
flavor flavour
gray grey
honor honour
humor humour
labor labour
liter litre
neighbor neighbour
theater theatre
tumor tumour
`
