import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
VECTORS = ROOT / "vectors"


def mode_vectors(name):
    """Lines of the repository's vectors/modes/NAME.jsonl, the byte strings decoded."""
    lines = (VECTORS / "modes" / f"{name}.jsonl").read_text().splitlines()
    return [
        {key: value if key == "alg" else bytes.fromhex(value) for key, value in json.loads(line).items()}
        for line in lines
    ]


@pytest.fixture(scope="session")
def pair():
    import roundel

    return roundel.keygen()


@pytest.fixture
def identity(tmp_path, pair):
    path = tmp_path / "identity.txt"
    path.write_text(pair.secret + "\n")
    return path
