"""Both stores find the same rows for a word: random texts of many scripts in random scopes, and plain cases to read."""

from __future__ import annotations

import itertools
from datetime import UTC, datetime
from unicodedata import category

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from reverie.model import Kind, Memory, Origin, Scope, Sighting
from reverie.opening import open_store
from reverie.recall.words import terms
from reverie.settings import Settings
from reverie.store.postgres.words import OVERLAP, PART, tokens
from reverie.text.fold import folded
from reverie.text.normalise import norm_hash, text_hash

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)
EXAMPLES = settings(max_examples=100)
FEW = settings(max_examples=30)

# Pieces that the fold, the tokenizer and the two query languages each have an opinion of.
WORDS = st.sampled_from(
    """garden Garden GARDENS gardening run running ran runner Robin's Robin’s ROBIN’S robins’ Straße STRASSE Grüße
    école e\u0301cole ﬁne Ångström Å i̇stanbul İSTANBUL ıspanak naïve Ελλάδα ΕΛΛΆΔΑ σοφός ΣΟΦΌΣ Москва МОСКВА ёлка елка
    שָׁלוֹם שלום مُحَمَّد محمد नमस्ते हिन्दी ภาษาไทย 東京 東京都 京都 我住在北京 서울 한국어 カタカナ ｶﾀｶﾅ
    ひらがな が か\u3099 v2.1 v2.1.3 3.14 1,000 foo-bar foo_bar a.b.c x86-64 c++ c# .net 50% 100%d %s 🎉 👩‍👩‍👧 ❤️ ☕ ½ x² ²
    ® ™ ＡＢＣ ０１２ \u0301 \u200d \ufeff \u00ad co\u00adop""".split()  # noqa: SIM905
)
MARKS = st.sampled_from(
    [" ", " ", " ", "-", ".", "'", "’", "_", ":", "/", "\\", '"', "&", "|", "!", " & ", " | ", " <-> ", "<2>", ":*", ":A", "*",
     "%", "(", ")", "^", "\n", "\t", "\u00a0", "\u200b", "", ",", ";", "@", "#", "$1", "{", "}", "''", " AND ", " OR ", " NOT "]
)  # fmt: skip
ANYTHING = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
PIECES = st.lists(st.one_of(WORDS, WORDS, MARKS, MARKS, ANYTHING), min_size=1, max_size=12).map("".join)
_examples = itertools.count(1)


@pytest.fixture(scope="module")
def twins(server, tmp_path_factory):
    """The two stores, shared by all examples: each takes a scope of its own."""
    url = server.database()
    stores = [open_store(u, Settings()) for u in (str(tmp_path_factory.mktemp("twins") / "notes.db"), url)]
    yield stores
    for store in stores:
        store.close()
    server.drop(url)


class Pair:
    """The same rows in one scope of each store."""

    def __init__(self, twins, *texts: str) -> None:
        name = Scope("acme", f"n{next(_examples)}")
        self.scopes = [store.scope(name) for store in twins]
        self.texts = texts
        rows = [row(n, text) for n, text in enumerate(texts)]
        for scope in self.scopes:
            scope.transact(lambda tx: [tx.insert(m, []) or tx.sight(Sighting(m.id, m.origin, NOW)) for m in rows])

    def found(self, word: str) -> list[int]:
        """Which texts hold a word; fails where the stores are not of one mind."""
        answers = []
        for scope in self.scopes:
            with scope.read() as r:
                seqs = r.postings(word, 0)
                assert seqs == sorted(set(seqs))
                ids = {seq: int(m.id) for seq, m in r.rows_by_seq(seqs).items()}
                answers.append([ids[s] for s in seqs])
                for after in seqs[:1]:  # what is newer than a row that is known
                    assert r.postings(word, after) == [s for s in seqs if s > after]
        embedded, served = answers
        assert embedded == served, f"{word!r} in {[self.texts[n] for n in {*embedded} ^ {*served}]!r}"
        return embedded


def row(n: int, text: str) -> Memory:
    return Memory(
        id=f"{n:026d}", kind=Kind.FACT, text=text, text_hash=text_hash(text), norm_hash=norm_hash(f"{n}"), origin=Origin(),
        trust=Origin().trust, written_at=NOW, stated_at=NOW, strength_at=NOW,
    )  # fmt: skip


def cut(draw, text: str, most: int = 24) -> str:
    """A random piece of a text."""
    start = draw(st.integers(0, len(text) - 1))
    return text[start : start + draw(st.integers(1, most))]


def askable(word: str) -> bool:
    """A phrase that is certain to be found on both stores; see `test_a_phrase_longer_than_parts_overlap`."""
    return len(tokens(word)) <= OVERLAP


@EXAMPLES
@given(st.data())
def test_random_words_in_random_texts(twins, data):
    texts = data.draw(st.lists(PIECES, min_size=1, max_size=5))
    pair = Pair(twins, *texts)
    asked = [cut(data.draw, data.draw(st.sampled_from(texts))) for _ in range(4)]
    asked += [data.draw(PIECES), data.draw(ANYTHING), *[t for text in texts for t in terms(text)][:8]]
    for word in filter(askable, asked):
        pair.found(word)


@EXAMPLES
@given(st.data())
def test_every_word_that_recall_would_ask_finds_its_own_text(twins, data):
    words = WORDS.filter(lambda w: not any(category(c)[0] == "M" for c in folded(w)))  # see the test after this
    texts = data.draw(st.lists(st.lists(words, min_size=1, max_size=8).map(" ".join), min_size=1, max_size=4))
    pair = Pair(twins, *texts)
    for n, text in enumerate(texts):
        for word in terms(text):
            if tokens(word):
                assert n in pair.found(word)


@pytest.mark.parametrize("text", ["हिन्दी", "नमस्ते दुनिया", "שָׁלוֹם", "مُحَمَّد"])
def test_words_with_vowel_signs_are_asked_for_as_they_are_indexed(twins, text):
    pair = Pair(twins, text)
    assert all(pair.found(word) == [0] for word in terms(text))


@FEW
@given(st.data())
def test_long_texts_stand_in_parts_that_hide_nothing(twins, data):
    """Hundreds of words, some of them hundreds of times: a phrase is found wherever the border of two parts falls."""
    vocabulary = data.draw(st.lists(WORDS, min_size=1, max_size=4))
    length = data.draw(st.integers(PART - 2, 3 * PART))
    words = [vocabulary[i * i % len(vocabulary)] for i in range(length)]
    for at in data.draw(st.lists(st.integers(0, length - 1), max_size=6)):
        words[at] = f"mark{at}"
    pair = Pair(twins, " ".join(words), " ".join(words[:PART]), "short")
    for _ in range(8):
        start = data.draw(st.integers(0, length - 1))
        phrase = " ".join(words[start : start + data.draw(st.integers(1, 20))])
        if tokens(phrase) and askable(phrase):
            assert 0 in pair.found(phrase)


@FEW
@given(st.data())
def test_long_chinese_texts(twins, data):
    some = data.draw(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x4E40), min_size=8, max_size=8))
    length = data.draw(st.integers(PART, 4 * PART))
    text = "".join(some[i * i % 8] if i % 7 else chr(0x5000 + i) for i in range(length))
    pair = Pair(twins, text, text[::-1], text[: PART // 2])
    for _ in range(8):
        start = data.draw(st.integers(0, length - 1))
        assert 0 in pair.found(text[start : start + data.draw(st.integers(1, OVERLAP))])


@FEW
@given(
    st.sampled_from(["a", "ß", "東", "é", "🎉", "1", "n\u0301", "가"]), st.integers(60, 3000),
    st.sampled_from(["", "s", "ing", "x"]),
)  # fmt: skip
@example("a", 200, "")  # as many bytes as are indexed as they stand, and one more
@example("a", 200, "x")
@example("a", 3000, "ing")
def test_long_words(twins, letter, times, ending):
    word = letter * times + ending
    pair = Pair(twins, word, f"before {word} after", letter * times, word[:-1] + "q", f"{word}.{word}")
    for asked in (word, word.upper(), letter * times, letter * (times - 1), letter * 3, f"before {word}", "before"):
        if askable(asked):
            pair.found(asked)
    if askable(word):
        assert {0, 1, 4} <= set(pair.found(word))


@pytest.mark.parametrize("size", [PART - 1, PART, PART + 1, 2 * PART - OVERLAP, 2 * PART - OVERLAP + 1, 3 * PART])
def test_a_phrase_is_found_wherever_the_border_of_two_parts_falls(twins, size):
    words = [f"w{i}x" for i in range(size)]
    pair = Pair(twins, " ".join(words))
    step = PART - OVERLAP  # a part begins at every multiple of it
    near = [
        s
        for s in range(size - OVERLAP + 1)
        if s % step < 3 or s % step > step - 3 or OVERLAP - 3 < s % step < OVERLAP + 3
    ]
    for start in {*near, 0, size - OVERLAP}:
        assert pair.found(" ".join(words[start : start + OVERLAP])) == [0]
    for word in (words[0], words[-1], words[size // 2]):
        assert pair.found(word) == [0]
    assert pair.found(f"{words[0]} {words[2]}") == pair.found(f"{words[-1]} {words[0]}") == []


def test_a_phrase_longer_than_parts_overlap(twins):
    words = [f"w{i}x" for i in range(3 * OVERLAP)]
    assert Pair(twins, " ".join(words)).found(" ".join([*words[: OVERLAP + 1], "elsewhere"])) == []


@pytest.mark.parametrize(
    ("text", "word", "holds"),
    [
        ("She is running late", "run", True),
        ("She had a run", "Running", True),
        ("Robin's cats sleep", "robin", True),
        ("Robin’s cats sleep", "ROBIN'S", True),
        ("Grüße aus München", "MUNCHEN", True),
        ("Gru\u0308ße aus Mu\u0308nchen", "münchen", True),
        ("die Straße", "STRASSE", True),
        ("ÉCOLE d'été", "ecole", True),
        ("Ελλάδα", "ΕΛΛΑΔΑ", True),
        ("東京都に住んでいる", "東京", True),
        ("京東へ行く", "東京", False),
        ("東の京", "東京", False),
        ("한국어를 배운다", "한국", True),
        ("서울에서 일하는 민수", "서울", True),
        ("ｆｕｌｌ width", "full", True),
        ("it runs v2.1.3 now", "v2.1.3", True),
        ("it runs v2.1.3 now", "v2.1", True),
        ("it runs v2.10.3 now", "v2.1", False),
        ("it runs v2 and 1", "v2.1", False),
        ("foo-bar is here", "foo bar", True),
        ("bar foo is here", "foo-bar", False),
        ("EXA_API_KEY is set", "exa_api_key", True),
        ("the party 🎉 began", "🎉", True),
        ("half the garden", "gard", False),
        ("100% sure", "100%", True),
        ("a \\ and a ' and a : stand here", "stand", True),
        ("fat & rat | cat ! dog <-> cow", "rat", True),
        ("fat rat", "fat & rat", True),  # a phrase: the operator is no word
        ("fat rat", "fat | cat", False),
        ("fat rat", "!cat", False),
        ("fat rat", "fa:*", False),
        ("fat rat", "fat NOT cat", False),
        ("fat rat", "rat:A", False),
    ],
)
def test_a_word_means_the_same_on_both_stores(twins, text, word, holds):
    assert Pair(twins, text, "nothing of the kind").found(word) == [0] * holds


@pytest.mark.parametrize("word", [*"\"'\\&|!%*(^-.: ", "<->", ":*", "()", "\u0301", "\u200d", "''", "\u00ad"])
def test_what_holds_no_word_finds_nothing(twins, word):
    assert Pair(twins, "plain words", f"a {word} b").found(word) == []


def test_a_word_of_a_scope_never_written_is_nowhere(twins):
    for store in twins:
        with store.scope(Scope("nobody", "here")).read() as r:
            assert r.postings("garden", 0) == []


def test_the_number_of_a_scope_is_no_word(twins):
    """A scope's number leads its words in the index; typed into a query it opens nothing."""
    pair = Pair(twins, "the garden of one")
    other = Pair(twins, "the gate of another")
    numbers = set()
    for scope in (*pair.scopes, *other.scopes):
        with scope.read() as r:
            numbers.add(r._s.number if hasattr(r._s, "number") else r._s.scope)
    for n in numbers:
        for word in (f"{n}:gate", f"s{n}", f"{n}:gate' | '{n}:of", f"place:s{n}", f'gate" OR place:s{n} AND body:"of'):
            assert pair.found(word) == []
