"""Every example of the documents, run in order."""

import gzip
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

#: The volume that the examples call disk.img.
IMAGE = ROOT / "crates/roundel-volume/tests/images/own-elephant-128-togo.img.gz"

BLOCK = re.compile(r"^```(python|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("document", ["python/README.md", "docs/python.md"])
def test_examples(document, tmp_path, monkeypatch):
    text = (ROOT / document).read_text()
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) >= 4
    monkeypatch.chdir(tmp_path)
    Path("disk.img").write_bytes(gzip.decompress(IMAGE.read_bytes()))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    names = {"__name__": "examples"}
    for block in blocks:
        language, code = block.groups()
        line = text.count("\n", 0, block.start(2))
        if language == "python":
            # Blank lines in front: errors then name the document's line.
            exec(compile("\n" * line + code, document, "exec"), names)
        else:
            Path("recipients.txt").write_text(names["pair"].public + "\n")
            subprocess.run(["bash", "-euo", "pipefail", "-c", code], check=True, timeout=120)
