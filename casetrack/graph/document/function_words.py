"""Words that no phrase holds: function words of some languages, English verbs and fillers."""

from __future__ import annotations

from typing import Final

_EN = """
pursuant accordance respect respects behalf connection virtue lieu manner fullest meaning meanings
inability doubt aggregate avoidance a about above according accordingly across after afterwards
again against ago all almost alone along already also although altogether always am among amongst
amount an and another any anybody anyhow anyone anything anyway anywhere apart are aren't around as
aside at away back be became because become becomes becoming been before beforehand behind being
below beside besides best better between beyond both but by came can can't cannot come comes
concerning could couldn't did didn't different do does doesn't doing don't done down due during
each eg either else elsewhere enough entire entirely especially et etc even ever every everybody
everyone everything everywhere example except few fewer five for forth four foregoing following
from front full further furthermore get gets give given gives go goes going gone got had hadn't has
hasn't have haven't having he hence henceforth her here hereafter hereby herein hereinafter
hereinabove hereinbelow hereof hereon hereto heretofore hereunder hereunto herewith hers herself
him himself his hither how however i ie if immediate in inclusive indeed inside insofar instead
into inward is isn't it its itself just keep kept largely last late later latest latter least less
let like likely likewise little long longer look lot made mainly make makes making many may maybe
me mean means meantime meanwhile might mine more moreover most mostly much must my myself namely
near nearly need needs neither never nevertheless next nine no nobody none nonetheless nor not
nothing notwithstanding now nowhere number numerous of off often on once one ones only onto or
other others otherwise ought our ours ourselves out outside over overall own particular past per
perhaps please possible prior provided put quite rather re really regarding relating respective
respecting right round said same saw say says second see seem seemed seems seen seven several shall
shan't she should shouldn't shown similar since six so some somebody somehow someone something
sometime sometimes somewhere soon still subject such ten than thank thanks that that's the their
theirs them themselves then thence there thereafter thereby therefor therefore therefrom therein
thereof thereon thereto theretofore thereunder thereupon therewith these they thing things third
this those though three through throughout thru thus till to together too took toward towards true
twice two under undersigned unless unlike until unto up upon us use used uses using usual various
versus very via viz vs want was wasn't way we well went were weren't what whatever when whence
whenever where whereas whereby wherein whereof whereupon wherever whether which whichever while
whither who whoever whole whom whose why will with within without witnesseth won't would wouldn't
yes yet you your yours yourself yourselves zero first aforementioned aforesaid applicable
additional available certain current currently existing foregoing necessary new old present
previous relevant specific total whatsoever page pages tel fax www http https com email mr mrs ms
dr eg ie inc ltd llc plc gmbh co corp january february march april june july august september
october november december jan feb mar apr jun jul aug sep sept oct nov dec monday tuesday wednesday
thursday friday saturday sunday today tomorrow yesterday tonight morning afternoon evening day days
week weeks month months year years hour hours minute minutes time times am pm hundred thousand
million billion thousands millions billions half quarter dozen eight eleven twelve fifteen twenty
thirty forty fifty sixty seventy eighty ninety dear sincerely faithfully regards hello hi kind
"""
_DE = """
ab aber alle allein allem allen aller alles allgemein als also am an ander andere anderem anderen
anderer anderes anderm andern anders auch auf aus ausser außer außerdem außerhalb bald bei beide
beiden beim bereits besonders besser bevor bin bis bisher bist da dabei dadurch dafür dagegen daher
dahin damals damit danach daneben dann daran darauf daraus darf darin darüber darum darunter das
dass daß davon davor dazu dein deine dem demnach den denen denn dennoch der deren derer derselbe
des deshalb dessen desto deswegen die dies diese dieselbe diesem diesen dieser dieses dir doch dort
du durch dürfen ebenfalls ebenso eben eher ehe ein eine einem einen einer eines einige einigem
einigen einiger einiges einmal entgegen entsprechend entsprechende entsprechenden entweder er erst
erste ersten es etc etwa etwas euch euer eure falls für fast folgend folgende folgenden ganz ganze
ganzen gar geehrte geehrter gegen gegenüber gemäß gemäss gern gewesen gibt ging gilt gleich
gleichzeitig habe haben hat hatte hatten hätte hätten herr herrn frau hier hierbei hierdurch
hiermit hierzu hin hinaus hinsichtlich hinter ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im
immer in indem infolge innerhalb ins insbesondere insoweit insofern ist ja je jede jedem jeden
jeder jederzeit jedes jedoch jene jenem jenen jener jenes jetzt jeweils jeweilig jeweilige
jeweiligen kann kannst kein keine keinem keinen keiner keines können könnte könnten kraft lassen
lässt letzte letzten lediglich machen macht man manche mehr mehrere mein meine meinem meinen meiner
mindestens mit mittels muss musste müssen müsste nach nachdem nachfolgend nachfolgende
nachfolgenden nächste nächsten nämlich neben nein neu neue neuen nicht nichts nie noch nun nur ob
oben obwohl oder ohne pro samt schon sehr sein seine seinem seinen seiner seines seit seitens
selbst sich sie sind so sobald sofern sofort sogar solange solch solche solchem solchen solcher
soll sollen sollte sollten somit sondern sonst sonstige sonstigen soviel soweit sowie sowohl
spätestens statt stets trotz über überhaupt um und uns unser unsere unserem unseren unter usw vgl
viel viele vielen vielleicht vom von vor vorbehaltlich vorher vorliegend wann war waren wäre wären
warum was weder wegen weil weiter weitere weiteren weiterhin welche welchem welchen welcher welches
wem wen wenig wenige weniger wenn wer werden wessen weshalb wie wieder will wir wird wo wobei
wodurch wofür wohl wollen womit worden worin wovon würde wurde wurden würden zu zufolge zugunsten
zum zunächst zur zusammen zuzüglich zwar zwei zwischen zwecks abs nr art bzw ggf inkl z.b sog ca
januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag
samstag sonntag tag tage tagen woche wochen monat monate monaten jahr jahre jahren uhr seite seiten
"""
_FR = """
a afin ai ainsi alors après au aucun aucune aujourd'hui aura auront aussi autre autres aux avait
avant avec avoir c'est car ce ceci cela celle celles celui cependant ces cet cette ceux chacun
chaque chez ci comme comment contre d' dans de depuis des dès deux devant doit doivent donc dont du
durant elle elles en encore entre est et étaient était étant été être eu eux faire fait fois font
hors il ils j' je jusqu' l' la laquelle le lequel les lesquels leur leurs lors lorsque lui m' ma
mais me même mêmes mes moins mon n' ne ni non nos notre nous on ont or ou où par parmi pas pendant
peu peut peuvent plus pour pourra pouvoir près puis qu' quand que quel quelle quelles quelque quels
qui quoi s' sa sans sauf se selon sera seront ses si sinon sœur soit son sont sous sur t' ta tandis
tant tel telle telles tels tous tout toute toutes très un une vers voici voilà vos votre vous y
janvier février mars avril mai juin juillet août septembre octobre novembre décembre monsieur
madame page article
"""
_ES = """
a al algo algún alguna algunas algunos ante antes aquel aquella así aun aunque bajo bien cada como
con contra cual cuales cualquier cuando cuyo de debe deben del desde después donde dos durante e el
él ella ellas ellos en entre era es esa esas ese eso esos esta está estaba están estar estas este
esto estos fue fueron ha haber había han hasta hay incluso la las le les lo los más me mediante mi
mientras muy ni no nos nosotros o otra otras otro otros para pero podrá podrán por porque primera
primero puede pueden pues que qué quien quienes se sea según ser será serán si sí sido siempre sin
sino sobre son su sus también tal tales tanto tendrá tiene tienen toda todas todo todos tras un una
unas uno unos usted y ya yo enero febrero marzo abril mayo junio julio agosto septiembre octubre
noviembre diciembre señor señora página artículo
"""
_IT = """
a abbia ad agli ai al alcuni alla alle allo altra altre altri altro anche ancora avere c che chi ci
come con contro cui da dagli dai dal dalla dalle dallo degli dei del dell della delle dello di dopo
dove due durante e è ed era essere fra fino gli ha hanno i il in invece io l la le lei lo loro ma
mediante mentre mi né negli nei nel nell nella nelle nello no noi non nostro o ogni ogni oppure per
però perché più può possono prima qual quale quali quando quanto quella quelle quelli quello questa
queste questi questo qui sarà saranno se secondo sempre senza si sia siano sino sono sotto sta
stata state stati stato su sua sue sugli sui sul sulla sulle suo suoi tale tali tra tutta tutte
tutti tutto un una uno verso vi voi gennaio febbraio marzo aprile maggio giugno luglio agosto
settembre ottobre novembre dicembre pagina articolo
"""
_NL = """
aan aangezien achter al alle alleen als altijd ander andere binnen bij daar daarna daarom dan dat
de deze die dient dit doch doen door dus een echter eerste en er ge geen geweest haar had hadden
heb hebben heeft hem hen het hier hij hoe hun ik in indien is ja je jullie kan komen kon kunnen
maar maken mag me meer men met mij mijn moet moeten na naar nadat niet niets noch nog nu of om
omdat onder ons onze ook op over reeds sinds slechts te tegen ten ter terwijl tijdens toch toe tot
tussen twee u uit uw van vanaf veel verder via volgens voor voordat waar waarbij waarin waarop
wanneer want waren was wat we wel welke werd werden wie wij wil worden wordt zal ze zelf zich zij
zijn zo zoals zonder zou zouden zullen januari februari maart april mei juni juli augustus oktober
bladzijde artikel
"""
_PT = """
a à ainda alguma algumas algum alguns antes ao aos após aquela aquele as às assim até cada caso com
como contra cuja cujo da das de deve devem dela dele desde do dos durante e é ela elas ele eles em
enquanto entre era essa esse esta está este estes eu foi foram há isso isto já lhe mais mas
mediante mesmo meu muito na não nas nem no nos nós o onde os ou outra outras outro outros para pela
pelas pelo pelos perante pode podem poderá por porque quais qual qualquer quando que quem são se
seja sem sempre ser será serão seu seus sob sobre sua suas tal também tem têm toda todas todo todos
um uma umas uns você janeiro fevereiro março abril maio junho julho agosto setembro outubro
novembro dezembro página artigo
"""
FUNCTION_WORDS: Final[dict[str, frozenset[str]]] = {
    "en": frozenset(_EN.split()),
    "de": frozenset(_DE.split()),
    "fr": frozenset(_FR.split()),
    "es": frozenset(_ES.split()),
    "it": frozenset(_IT.split()),
    "nl": frozenset(_NL.split()),
    "pt": frozenset(_PT.split()),
}
"""Words, in lower case, that end a phrase, by ISO 639-1 code."""

_VERBS = """
accept accompany accomplish accrue achieve acknowledge acquire act adapt add adhere adjust admit
adopt advise affect affirm agree aim allege allocate allow alter amend announce annex anticipate
appear apply appoint approve arise arrange arrive ascertain ask assert assess assign assist assume
attach attain attempt attend authorize authorise await bear become begin behave believe belong bind
borrow bring build calculate cancel carry cause cease certify circulate cite clarify collect
combine commence communicate compel complain complete comply comprise conceal conclude conduct
confer confirm conflict conform connect consent consider consist constitute construe consult
contain contend continue contravene contribute convert convey cooperate correct correspond create
cure deal decide declare decline deduct deem defend define delay delegate delete deliver
demonstrate deny depend deploy derive describe designate desire destroy detect determine develop
deviate differ direct disclaim disclose discontinue discover discuss dispatch dispose disregard
disseminate distinguish distribute divide elect eliminate embody employ enable encounter encourage
endeavor endeavour enforce engage enhance enjoy ensure enter entitle equal establish evaluate
evidence exceed exclude execute exercise exist expand expect expend expire explain exploit express
extend facilitate fail fall fill finalize find finish fix follow forfeit formulate forward fulfil
fulfill furnish gain gather generate govern grant guide handle happen help hire hold identify
illustrate imply impose improve include incorporate increase incur indemnify indicate induce inform
infringe initiate inspect install instruct intend interfere interpret introduce invite invoke
involve issue join justify keep know lack learn leave lend limit list locate lose maintain manage
materialize meet mention minimize minimise mitigate modify necessitate negotiate notify obey object
obligate oblige observe obtain occur omit operate oppose originate overcome owe participate pass
pay perform permit persuade pertain possess postpone practise precede preclude prefer prejudice
prepare prescribe preserve prevail prevent proceed procure produce prohibit promise prompt propose
prosecute protect prove provide publish pursue qualify raise reach read reappoint realize receive
recite recognize recognise recommend reconsider record recover redeem reduce refer reflect refrain
refuse regard reimburse reject relate release relinquish rely remain remedy remember remind remove
render renew replace reply represent request require reschedule resell reside resign resolve
respond restore restrain restrict result resume retain retire retrieve return reveal revise revoke
satisfy seek select sell send separate serve settle sever show sign signify solicit speak specify
spend stand start state stipulate stop submit substitute succeed suffer suggest supersede
supplement suppose surrender survive suspend sustain take tell tend terminate think transact
transmit try turn undergo understand undertake update utilize utilise vary verify violate visit
vote waive warn withdraw withhold wish withstand write accompanied agreed arisen arose bears begun
borne bought bound brought built came caught chosen drawn drew fell fallen felt forgotten forthwith
fought found gave given gone grew grown held kept knew known laid led left lent lost met owed paid
proven ran read risen rose saw seen sent shown sold sought spent spoke stood taken taught thought
thrown told took understood undertook withdrew withdrawn withheld woke worn written wrote
"""
_NOUNS_TOO = frozenset(
    "act advise appeal cause conduct conflict consent cure deal delay evidence exercise express "
    "find handle help increase interest issue lease lack limit list object pass practise promise "
    "purchase record regard release remedy request result return state supplement supply update "
    "vote wish reply visit grant turn start separate complete correct direct equal cancel "
    "dispatch forward holding building finding meeting hearing filing offering accounting "
    "financing funding handling licensing manufacturing marketing mining offering operating "
    "pending planning processing pricing shipping testing training understanding undertaking "
    "writing closing engineering proceedings agreed distributed limited combined installed issued "
    "connected continuing developed expected extended fixed integrated involved qualified "
    "recorded restricted".split()
)


def _inflected() -> frozenset[str]:
    found: set[str] = set()
    for verb in _VERBS.split():
        stem = verb.removesuffix("e")
        plural = f"{verb[:-1]}ies" if _ends_in_y(verb) else f"{verb}s"
        past = f"{verb[:-1]}ied" if _ends_in_y(verb) else f"{stem}ed"
        found |= {verb, plural, past, f"{stem}ing", f"{stem}{verb[-1]}ing", f"{stem}{verb[-1]}ed"}
        if verb.endswith(("s", "x", "h")):
            found.add(f"{verb}es")
    return frozenset(found - _NOUNS_TOO)


def _ends_in_y(verb: str) -> bool:
    return verb.endswith("y") and verb[-2] not in "aeiou"


VERBS: Final = _inflected()
"""English verbs in all their forms, without those that are nouns as well."""

LY_NOUNS: Final = frozenset(
    "ally anomaly annually assembly daily family fly homily italy july melancholy monopoly "
    "monthly multiply oligopoly penalty quarterly rally reply subfamily supply tally weekly "
    "yearly".split()
)
"""Words in -ly that are no adverbs."""

NO_LAST: Final = frozenset(
    "actual average bigger cold confidential cumulative dry extra gross higher hot lower minus "
    "negative plus positive red rear smaller upper warm wet white annual appropriate central "
    "clear commercial common complete contractual corporate critical daily defective direct early "
    "electronic environmental equal exclusive express external federal final financial free "
    "further general good great high identical important independent individual initial innocent "
    "internal international joint just large legal local low main mandatory material maximum mere "
    "minimum monthly multiple mutual national natural net normal original outstanding part "
    "parties party perpetual personal physical primary private proper proportionate public "
    "quarterly real recent regular rental residential safe separate serious short simple single "
    "small sole standard strict strong substantial sufficient technical temporary urgent useful "
    "valid voluntary weekly worldwide written yearly former best various willing unable able "
    "aware".split()
)
"""Words that a phrase may hold, and not end with."""

GENERIC: Final = frozenset(
    "share signature offer release writing copy performance operation accordance failure account "
    "act action addition address advance affiliate agent agreement amendment annex answer "
    "appendix application area article aspect attachment attention authority base basis behalf "
    "benefit bill body book breach buyer capacity case cause change circumstance claim clause "
    "client common company condition connection consent consideration contact contract contractor "
    "copy cost course customer data date decision definition delivery description detail document "
    "duty effect effort employee end entity event exhibit extent fact file final form general "
    "group hand head heading hereof hereto information instance interest issue item kind landlord "
    "law lender letter level license licensee licensor line list loss manner material matter "
    "meeting member method mind name nature note notice notification obligation office officer "
    "opinion option order owner paragraph part party people percent period person place plan "
    "point position power practice price problem procedure process product program project "
    "property provision purchase purchaser purpose question rate reason receipt recital record "
    "reference regard relation report request requirement respect response responsibility result "
    "review right role rule sale schedule section sector seller sense service set side site "
    "situation source standard state statement step story subject subparagraph subsection "
    "supplier system table tenant term text thing title transaction type understanding unit value "
    "vendor version view week word work year recipient distributor provider borrower lessor "
    "lessee party consultant manager director president chairman secretary vertrag vereinbarung "
    "anlage absatz artikel ziffer punkt partei parteien vertragspartei vertragsparteien abschnitt "
    "kunde lieferant auftraggeber auftragnehmer verkaufer kaufer seite datum betreff herren "
    "damen".split()
)
"""Words that alone say too little to be an entry of their own, singular and folded."""
