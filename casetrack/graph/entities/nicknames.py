"""Short and pet forms of given names: which two can be the same person's."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_FORMS = """
abigail: abby abbie gail; abraham: abe bram; adelaide: addie; agnes: aggie;
albert: al bert bertie; alberto: beto; alexander: alex alec sandy sasha xander lex;
alexandra: alex sandy sasha lexi; alfonso: alf fonso; alfred: al alf alfie fred freddie;
alistair: al ali; allison: ali allie; amanda: mandy; andrea: andi; andreas: andi andy;
andrew: andy drew; angela: angie; angelika: geli; anthony: tony; anton: toni tony;
antonio: tony toni tono; archibald: archie; arnold: arnie; arthur: art artie; augustus: gus;
barbara: barb babs barbie barbel; bartholomew: bart; beatrice: bea bee trixie; beatriz: bea;
benedict: ben; benjamin: ben benny benji; bernadette: bernie detta; bernard: bernie;
bertram: bert; bettina: tina; bradford: brad; bradley: brad; cameron: cam; candace: candy;
caroline: caro; cassandra: cass cassie; catherine: cathy cath cat kate katie cate;
charles: charlie chuck chas chip; charlotte: lottie charlie; christian: chris;
christina: chris tina chrissy; christine: chris tina chrissy; christoph: chris;
christopher: chris kit topher; clifford: cliff; concepcion: concha conchita; constance: connie;
cornelia: conny nele; cristina: cris; curtis: curt; cynthia: cindy; daniel: dan danny dani;
david: dave davy; deborah: deb debbie; desmond: des; dolores: lola; dominic: dom nick;
dominique: dom; donald: don donnie; dorothea: doro; dorothy: dot dottie dolly; douglas: doug;
edgar: ed; edmund: ed eddie ned; eduard: edi eddi; eduardo: edu lalo;
edward: ed eddie ted teddy ned; edwin: ed eddie; eleanor: ellie nell nellie;
elisabeth: liesel lisbeth sissi elli; elizabeth: liz lizzie beth betty betsy libby bess;
emanuel: manny manu; emily: em emmy; emmanuel: manny manu; enrique: quique; ernest: ernie;
eugene: gene; evelyn: evie; ferdinand: ferdi ferdl; fernando: nando fer; florence: flo;
florian: flo; frances: fran frannie; francesca: fran; francis: frank; francisca: paqui paca;
francisco: paco pancho kiko paquito; franklin: frank; franz: franzl; frederic: fred freddy;
frederick: fred freddie rick; friedrich: fritz fred; gabriel: gabe gabi; gabriele: gabi;
gabrielle: gabby; geoffrey: geoff; gerald: gerry jerry; gerard: gerry jerry; gerhard: gert gerd;
gertrud: trudi; gertrude: trudy gert; gilbert: gil bert; gregory: greg gregg; guadalupe: lupe;
guillermo: memo guille; gwendolyn: gwen; hannelore: hanne lore; harold: hal harry;
heinrich: heinz heini; helen: nell; henrietta: hetty etta; henry: hank harry hal;
herbert: herb bert; hildegard: hilde; howard: howie; hubert: bert; ignacio: nacho;
inmaculada: inma; irving: irv; isaac: ike; isabel: izzy bel isa; isabella: bella izzy;
isabelle: isa; isidore: izzy; jacob: jake; jacqueline: jackie; james: jim jimmy jamie jem;
javier: javi; jeffrey: jeff; jennifer: jen jenny; jeremiah: jerry; jeremy: jerry jez;
jerome: jerry; jessica: jess jessie; jesus: chuy chus; joachim: jochen achim; joan: joanie;
joanna: jo; johann: hans; johannes: hans hannes; john: jack johnny; jonathan: jon jonny;
jose: pepe chepe; josef: sepp jupp; josefa: pepa; joseph: joe joey; josephine: jo josie;
joshua: josh; judith: judy; julia: jules; julian: jules; katharina: kathi kathe kati;
katherine: kathy kate katie kay kat kit; kathleen: kathy kate katie kath;
kathryn: kathy kate katie; kenneth: ken kenny; kimberly: kim; kristina: kris tina;
kristopher: kris; lawrence: larry lorry; leonard: len lenny leo; leonardo: leo;
leopold: leo poldi; leslie: les; lewis: lew; lillian: lil; louis: lou louie; louise: lou;
lucille: lucy; luis: lucho; malcolm: mal; manfred: manni; manuel: manolo manu;
margaret: maggie meg peggy peg marge margie madge; margarete: grete gretel;
marguerite: margot guite; marjorie: marge margie; martha: marty; martin: marty; martina: tina;
matilda: tilly mattie; matthew: matt matty; matthias: matze; maurice: maury mo; maximilian: max;
maxwell: max; melanie: mel; melissa: mel; melvin: mel; mercedes: merche;
michael: mike mick mickey mikey micky michi; michelle: shelly; mildred: millie; miriam: mimi;
mitchell: mitch; mohammed: mo; monika: moni; montgomery: monty; morris: moe; mortimer: mort;
nancy: nan; natalie: nat; nathalie: nath; nathan: nat nate; nathaniel: nat nate;
nicholas: nick nicky nico; nicolas: nico nick; nicole: nicky nikki; nikolaus: niko; norman: norm;
oliver: ollie; olivia: liv livvy; oswald: ozzie; pamela: pam;
patricia: pat patty tricia trish patsy; patrick: pat paddy; penelope: penny; percival: percy;
peter: pete; philip: phil pip; phillip: phil; phyllis: phyl; pilar: pili; priscilla: cilla;
prudence: prue; rachel: rach; rafael: rafa; randall: randy; randolph: randy; raymond: ray;
raymund: ray; rebecca: becky becca; reginald: reg reggie; reinhard: reini;
richard: rick ricky dick rich richie dickie; robert: bob bobby rob robby robbie bobbie;
roberto: beto; roderick: rod roddy rick; rodney: rod; roger: rodge; roland: roly;
ronald: ron ronnie; rosario: charo chayo; rosemary: rosie; rudolf: rudi; rudolph: rudy;
rupert: rupe; russell: russ; salvatore: sal; samantha: sam; samson: sam; samuel: sam sammy;
sandra: sandy; santiago: santi; sarah: sadie; sebastian: seb basti; sebastien: seb; sidney: sid;
siegfried: sigi; sigmund: sigi; solomon: sol; spencer: spence; stanley: stan; stefanie: steffi;
stephane: steph; stephanie: steph stevie; stephen: steve steph; steven: steve; stewart: stu;
stuart: stu; susan: sue susie suzy; susanna: sue susi; susanne: susi sanne; suzanne: sue suzy;
sylvester: sly; tamara: tammy; terence: terry; teresa: tess terri tere; terrence: terry;
theodor: theo; theodore: ted theo teddy; theresa: tess terri terry resi; theresia: resi;
thomas: tom tommy; timothy: tim timmy; tobias: tobi toby; ulrich: uli; ulrike: uli ulli;
ursula: uschi ulla; valentin: val; valerie: val; vanessa: nessa; veronica: ronnie;
veronique: vero; victor: vic; victoria: vicky tori; vincent: vince vinny; virginia: ginny;
vivian: viv; walter: walt wally; waltraud: traudl; wendell: wen; wilfred: wilf;
wilhelm: willi helmi; william: bill billy will willy; winifred: winnie; winston: win;
wolfgang: wolf; yolanda: yoli; zachary: zach zack
"""


def _read() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for entry in _FORMS.split(";"):
        formal, _, short = entry.strip().partition(": ")
        for name in (formal, *short.split()):
            found.setdefault(name, set()).add(formal)
    return {name: frozenset(formal) for name, formal in found.items()}


FORMAL_NAMES = _read()
"""For each given name of the list, folded, the written-out names that it can stand for.

Written for this program: English first, then what letters and contracts from Germany, France and
Spain have. A name that is written out stands for itself too.
"""


def is_nickname(given: str, /) -> bool:
    """Return whether a folded given name is short for another one and is not written out itself.

    Examples
    --------
    >>> is_nickname("bob"), is_nickname("robert"), is_nickname("adaeze")
    (True, False, False)
    """
    formal = FORMAL_NAMES.get(given)
    return formal is not None and given not in formal


@functools.lru_cache(maxsize=4096)
def may_be_one_name(a: str, b: str, /) -> bool:
    """Return whether two folded given names can be the same person's.

    Examples
    --------
    >>> may_be_one_name("bob", "robert"), may_be_one_name("ted", "edward")
    (True, True)
    >>> may_be_one_name("robert", "albert"), may_be_one_name("john", "jon")
    (False, False)
    """
    if a == b:
        return True
    mine, theirs = FORMAL_NAMES.get(a), FORMAL_NAMES.get(b)
    if mine is None or theirs is None:
        return False
    # Two written-out names are two names, whatever short form they share.
    if a in mine and b in theirs:
        return b in mine or a in theirs
    return not mine.isdisjoint(theirs)


def name_classes(given: Iterable[str], /) -> dict[str, str]:
    """Return for given names that can only be one name the one that stands for them.

    Where a short form fits two of the names ("Ted" beside Edward and Theodore), nobody is sure, and
    none of those it fits is put together with it.

    Parameters
    ----------
    given
        The folded first names of all persons with one surname.

    Returns
    -------
    dict of str to str
        Names that stand for others or are stood for; those that are alone are left out.
    """
    names = sorted(n for n in set(given) if n in FORMAL_NAMES)
    near = {n: [m for m in names if m != n and may_be_one_name(n, m)] for n in names}
    found: dict[str, str] = {}
    for name, others in near.items():
        group = {name, *others}
        if others and all(group == {n, *near[n]} for n in group):
            found[name] = min(group, key=lambda n: (is_nickname(n), n))
    return found
