// Words as index terms, as casetrack/ingest/steps/words.py makes them: fold, split, leave out, stem.
// A test holds both against each other. English stems are worked out here (Porter's algorithm, in
// its second form); those of other scripts come with the page, as far as the collection has them.
const wordsOf = ({stop: stopWords, endings, forms, spellings}) => {
  const CJK = '\\u3040-\\u30ff\\u3400-\\u4dbf\\u4e00-\\u9fff\\uf900-\\ufaff\\u{20000}-\\u{2fa1f}' +
    '\\u0e00-\\u0eff\\u1000-\\u109f\\u1780-\\u17ff\\uac00-\\ud7af';
  const INDIC = '\\u0900-\\u0dff';
  const SIGN = '\\p{L}\\p{N}';
  const LETTER = `(?:(?![${CJK}])[${SIGN}]|[${INDIC}])`;
  const NUMBER = "\\p{Nd}+(?:[.,\\u2019']\\p{Nd}{3})+(?:[.,]\\p{Nd}+)?(?!\\p{Nd})|\\p{Nd}+(?:[.,]\\p{Nd}+)?";
  const TOKEN = new RegExp(`([${CJK}]+)|((?<![${SIGN}])(?:${NUMBER})(?![${SIGN}]))|(${LETTER}+)`, 'gu');
  const ACCENT = new RegExp('[\\u093c\\u09bc\\u0a3c\\u0abc\\u0b3c\\u0e38-\\u0e3a\\u0e48-\\u0e4b]|' +
    `(?![\\u0306\\u034f\\ufe00-\\ufe0f${INDIC}\\u0e00-\\u0fff\\u1000-\\u109f\\u1780-\\u17ff])\\p{Mn}`, 'gu');
  const BREVE = /(?<![\u0438\u0443])\u0306/gu;
  const APOSTROPHE = new RegExp(
    `(?<=[${SIGN}_])['\\u2019](?:(?:s|${endings})(?![${SIGN}_])|(?=[${SIGN}_]))`, 'gu');
  const INITIALS = new RegExp(`(?<![${SIGN}_])(?:[\\p{L}\\p{Nl}\\p{No}]\\.){2,}`, 'gu');
  const PLACE = new RegExp(`([${CJK}]+)|\\p{Nd}+(?:[.,\\u2019']\\p{Nd}+)*(?![${SIGN}])|` +
    `(?:[\\p{L}\\p{Nl}\\p{No}]\\.){2,}|(?:(?![${CJK}])[${SIGN}\\p{M}])+(?:['\\u2019][${SIGN}\\p{M}]+)*`, 'gu');
  const NAME = new RegExp(`(?<![${SIGN}])[A-Za-z][A-Za-z0-9]*(?:_+[A-Za-z0-9]+)*(?![${SIGN}])`, 'gu');
  const PART = /[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+/g;
  const JOINED = /^(?:[a-z][a-z0-9]*(?:_+[a-z0-9]+)+|[A-Z][A-Z0-9]*(?:_+[A-Z0-9]+)+)$/;
  const HUMPED = /^[a-z]{3,}[0-9]*(?:[A-Z][a-z]+[0-9]*)+$/;
  const CLAN = /^(?:Mc|Mac|De|Di|Du|La|Le|Van|Von|Fitz|O)[A-Z]/;
  const rules = spellings.map(([pattern, other]) => [new RegExp(pattern, 'g'), other]);
  const stop = new Set(stopWords);
  const known = new Map();

  const fold = text => {
    const lowered = text.toLowerCase();
    if (/^[\0-\x7f]*$/.test(lowered)) return lowered;
    const bare = lowered.replaceAll('ß', 'ss').replaceAll('\u0131', 'i').normalize('NFKD').replace(ACCENT, '');
    return bare.replace(BREVE, '').normalize('NFC');
  };
  const numberTerm = number => {
    const grouped = /^(\p{Nd}{1,3}([.,\u2019'])\p{Nd}{3}(?:\2\p{Nd}{3})*)(?:([.,])(\p{Nd}+))?$/u.exec(number);
    let whole, decimals;
    if (grouped && grouped[3] !== grouped[2]) {
      [whole, decimals] = [grouped[1].replace(/\P{Nd}/gu, ''), grouped[4] || ''];
    } else {
      const [first, ...rest] = number.replace(/[\u2019']/g, '').replaceAll(',', '.').split('.');
      [whole, decimals] = [first, rest.join('')];
    }
    decimals = decimals.replace(/0+$/, '');
    return decimals ? `${whole}.${decimals}` : whole;
  };
  const pairs = run => {
    const signs = [...run];
    return signs.length === 1 ? [run] : signs.slice(1).map((sign, i) => signs[i] + sign);
  };
  const stem = word => {
    let term = known.get(word);
    if (term === undefined) {
      term = Object.hasOwn(forms, word) ? forms[word] : englishStem(rules.reduce((one, [rule, other]) => one.replace(rule, other), word));
      known.set(word, term);
    }
    return term;
  };
  const terms = text => {
    const found = [];
    const plain = fold(text).replace(APOSTROPHE, '')
      .replace(INITIALS, initials => initials.replaceAll('.', '') + ' ');
    for (const [, run, number, word] of plain.matchAll(TOKEN)) {
      if (word !== undefined) {
        if (!stop.has(word) && (word.length > 1 || /\p{Nd}/u.test(word))) found.push(stem(word));
      } else if (number !== undefined) found.push(numberTerm(number));
      else found.push(...pairs(run));
    }
    return found;
  };
  // Names of things in programs, whole and in their parts: casetrack/ingest/steps/words.py.
  const isName = (text, match) => {
    const word = match[0], end = match.index + word.length;
    if (word.includes('_')) return JOINED.test(word) && (word.match(/[A-Za-z]{2}/g) || []).length > 1;
    return HUMPED.test(word) || text[match.index - 1] === '`' || text[end] === '`' ||
      ['::', '()'].includes(text.slice(end, end + 2));
  };
  const names = text => {
    const found = new Set();
    for (const match of text.matchAll(NAME)) {
      const runs = match[0].split(/_+/).map(run => run.match(PART) || []);
      if (runs.flat().length < 2 || CLAN.test(match[0]) || !isName(text, match)) continue;
      const hidden = runs.filter(run => run.length > 1).flat().filter(part => part.length > 1);
      for (const said of [match[0].replaceAll('_', '').toLowerCase(), ...hidden]) {
        terms(said).forEach(term => found.add(term));
      }
    }
    return [...found];
  };
  const question = text => {
    const asked = terms(text);
    return [...asked, ...names(text).filter(term => !asked.includes(term))];
  };
  // The words of a text with their places: [start, end, terms].
  const places = function* (text) {
    for (const match of text.matchAll(PLACE)) {
      const end = match.index + match[0].length;
      if (match[1] === undefined) {
        yield [match.index, end, question(match[0])];
        continue;
      }
      let at = match.index;
      for (const pair of pairs(match[0])) {
        yield [at, at + pair.length, terms(pair)];
        at += pair.codePointAt(0) > 0xffff ? 2 : 1;
      }
    }
  };
  return {terms, question, places, fold};
};

const englishStem = (() => {
  const WHOLE = {skis: 'ski', skies: 'sky', idly: 'idl', gently: 'gentl', ugly: 'ugli', early: 'earli',
    only: 'onli', singly: 'singl'};
  'andes atlas bias cosmos howe news sky'.split(' ').forEach(word => { WHOLE[word] = word; });
  const SECOND = Object.entries({
    ization: 'ize', ational: 'ate', iveness: 'ive', fulness: 'ful', ousness: 'ous', tional: 'tion',
    biliti: 'ble', lessli: 'less', entli: 'ent', ation: 'ate', alism: 'al', aliti: 'al', ousli: 'ous',
    iviti: 'ive', fulli: 'ful', ogist: 'og', enci: 'ence', anci: 'ance', abli: 'able', izer: 'ize',
    ator: 'ate', alli: 'al', bli: 'ble', ogi: 'og', li: '',
  });
  const THIRD = Object.entries({
    ational: 'ate', tional: 'tion', alize: 'al', icate: 'ic', iciti: 'ic', ative: '', ical: 'ic',
    ness: '', ful: '',
  });
  const FOURTH = ('ement ance ence able ible ment ate ant ent ion ism iti ive ize ous al er ic').split(' ');
  const endsShort = word =>
    /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word) || word.endsWith('past');
  const region = (word, from) => {
    const found = /[aeiouy][^aeiouy]/.exec(word.slice(from));
    return found ? from + found.index + 2 : word.length;
  };
  const ending = (word, ends) => ends.find(([end]) => word.endsWith(end));

  return word => {
    if (Object.hasOwn(WHOLE, word)) return WHOLE[word];
    if ([...word].length < 3) return word;
    let w = '';
    for (const sign of word) w += sign === 'y' && (!w || 'aeiouy'.includes(w.at(-1))) ? 'Y' : sign;
    const special = /^(?:arsen|commun|emerg|gener|inter|later|organ|past|univers)/.exec(w);
    const r1 = special ? special[0].length : region(w, 0);
    const r2 = region(w, r1);
    // 1a: plurals
    if (w.endsWith('sses')) w = w.slice(0, -2);
    else if (/ie[sd]$/.test(w)) w = w.slice(0, w.length > 4 ? -2 : -1);
    else if (/[^su]s$/.test(w) && /[aeiouy]/.test(w.slice(0, -2))) w = w.slice(0, -1);
    // 1b: past and present participles
    const eed = /eed(?:ly)?$/.exec(w), verb = /(?:ing|ed)(?:ly)?$/.exec(w);
    if (eed) {
      if (eed.index >= r1 && !/^(?:succ|proc|exc)$/.test(w.slice(0, eed.index))) w = w.slice(0, eed.index) + 'ee';
    } else if (verb) {
      const base = w.slice(0, verb.index);
      const kept = verb[0] === 'ing' && /^(?:even|cann|inn|earr|herr|out)$/.test(base);
      if (verb[0] === 'ing' && /^[^aeiouy]y$/.test(base)) w = base.slice(0, -1) + 'ie';
      else if (!kept && /[aeiouy]/.test(base)) {
        w = base;
        if (/(?:at|bl|iz)$/.test(w)) w += 'e';
        else if (/(bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(w)) {
          if (!/^[aeo]..$/.test(w)) w = w.slice(0, -1);
        } else if (w.length === r1 && endsShort(w)) w += 'e';
      }
    }
    // 1c: y after a consonant
    if (/.[^aeiouy][yY]$/.test(w)) w = w.slice(0, -1) + 'i';
    // 2 and 3: longer endings made shorter
    const second = ending(w, SECOND);
    if (second) {
      const base = w.slice(0, -second[0].length);
      const fits = second[0] === 'ogi' ? base.endsWith('l') : second[0] !== 'li' || /[cdeghkmnrt]$/.test(base);
      if (base.length >= r1 && fits) w = base + second[1];
    }
    const third = ending(w, THIRD);
    if (third) {
      const base = w.slice(0, -third[0].length);
      if (base.length >= (third[0] === 'ative' ? Math.max(r1, r2) : r1)) w = base + third[1];
    }
    // 4: endings dropped
    const fourth = FOURTH.find(end => w.endsWith(end));
    if (fourth) {
      const base = w.slice(0, -fourth.length);
      if (base.length >= r2 && (fourth !== 'ion' || /[st]$/.test(base))) w = base;
    }
    // 5: a last e or l
    if (w.endsWith('e')) {
      const base = w.slice(0, -1);
      if (base.length >= r2 || base.length >= r1 && !endsShort(base)) w = base;
    } else if (w.endsWith('ll') && w.length - 1 >= r2) w = w.slice(0, -1);
    return w.replaceAll('Y', 'y');
  };
})();
