"""The package's types: mypy in strict mode, and the stub against the module."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import roundel

PACKAGE = Path(__file__).resolve().parents[1]


def test_is_marked_as_typed():
    assert (Path(roundel.__file__).parent / "py.typed").exists()


@pytest.mark.parametrize("tool", [["mypy"], ["mypy.stubtest", "roundel._roundel", "--mypy-config-file", "pyproject.toml"]])
def test_strict(tool, tmp_path):
    # The cache must not be written into a checkout.
    environment = {**os.environ, "MYPY_CACHE_DIR": str(tmp_path)}
    # -P: the package that is installed, not the folder beside the tests.
    done = subprocess.run([sys.executable, "-P", "-m", *tool], cwd=PACKAGE, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_every_public_name_is_documented():
    for name in roundel.__all__:
        assert getattr(roundel, name).__doc__, name


def test_free_threading_is_declared():
    """PEP 703: a free-threaded interpreter would switch the GIL on when it imports a module that does not declare this."""
    source = (PACKAGE / "src" / "lib.rs").read_text()
    assert "#[pymodule(gil_used = false)]" in source
    is_enabled = getattr(sys, "_is_gil_enabled", None)
    if is_enabled is not None and os.environ.get("PYTHON_GIL") is None:
        import sysconfig

        assert is_enabled() != bool(sysconfig.get_config_var("Py_GIL_DISABLED"))
