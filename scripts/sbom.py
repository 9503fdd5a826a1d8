"""Write the bill of materials: `make sbom` makes `dist/sbom.cdx.json`, in the format CycloneDX.

It lists the packages of both files of requirements with hashes (`make lock`), with the hashes. The project itself is
the component that they belong to. Nothing of this machine is in it.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from lock import LOCKS, ROOT, blocks


def requirements() -> str:
    """The requirements of all files, each package once."""
    result: dict[str, str] = {}
    for name in LOCKS:
        for block in blocks((ROOT / name).read_text(encoding="utf-8")):
            result.setdefault(re.split(r"[\[=\s;]", block, maxsplit=1)[0], block)
    return "".join(result[name] for name in sorted(result))


def main(target: Path) -> int:
    """Write the file."""
    target.parent.mkdir(exist_ok=True)
    command = [
        sys.executable,
        "-W",
        "ignore",
        "-m",
        "cyclonedx_py",
        "requirements",
        "-",
        "--pyproject",
        "pyproject.toml",
    ]
    command += [
        "--output-format",
        "JSON",
        "--output-reproducible",
        "--mc-type",
        "library",
        "-o",
        str(target.absolute()),
    ]
    done = subprocess.run(command, cwd=ROOT, input=requirements(), text=True, check=False)
    if done.returncode == 0:
        bill = json.loads(target.read_text(encoding="utf-8"))
        bill["metadata"]["component"]["version"] = version()
        target.write_text(json.dumps(bill, indent=1) + "\n", encoding="utf-8")
        print(f"{target}: {len(bill['components'])} packages")
    return done.returncode


def version() -> str:
    """The version of the project, which `pyproject.toml` leaves to the package."""
    text = (ROOT / "src" / "widthwise" / "version.py").read_text(encoding="utf-8")
    result = re.search(r'__version__ = "(.+)"', text)
    assert result is not None
    return result[1]


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("dist/sbom.cdx.json")))
