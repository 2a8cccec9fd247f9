"""Prepares an environment for tests and linters: packages, and the sources in their place.

`maturin develop`, with which `make build` installs, compiles a release as well. Tests have a build
of their own (the profile `checked`), which `make checked` puts beside the sources.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
INSTALL = [sys.executable, "-m", "pip", "install"]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def main() -> None:
    """Install an extra that is named, or what the project, its tests and linters need."""
    if sys.argv[1:]:
        extra = PROJECT["optional-dependencies"][sys.argv[1]]
        subprocess.run([*INSTALL, *extra], check=True)
        return
    packages = [*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["dev"]]
    subprocess.run([*INSTALL, *packages], check=True)
    places = {name: Path(sysconfig.get_path(name)) for name in ("purelib", "scripts")}
    if list(places["purelib"].glob("thinktime-*.dist-info")):
        return  # `make build` was here
    (places["purelib"] / "thinktime.pth").write_text(f"{ROOT / 'python'}\n", encoding="utf-8")
    for name, function in PROJECT["scripts"].items():
        module, _, function = function.partition(":")
        command = places["scripts"] / name
        command.write_text(
            f"#!{sys.executable}\nimport sys\n\nfrom {module} import {function}\n\n"
            f"sys.exit({function}())\n",
            encoding="utf-8",
        )
        command.chmod(0o755)


if __name__ == "__main__":
    main()
