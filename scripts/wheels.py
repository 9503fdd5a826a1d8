"""Build the source archive and the wheels for Linux: `make wheels`, files in `dist`.

There are two wheels: one for Python 3.11, and one with the stable ABI for 3.12 and later. Both are built from the
source archive, so that the archive is known to hold what a build needs. The compiler is the clang of the package
`ziglang`, which links against the symbols of an older glibc and takes its C++ library along. auditwheel names the
oldest systems that a wheel runs on, abi3audit checks that the second wheel keeps to the stable ABI, and
`scripts/wheel_check.py` installs each into empty environments.
"""

from __future__ import annotations

import argparse
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
from importlib.util import find_spec
from pathlib import Path

from pythons import Interpreter, interpreters

ROOT = Path(__file__).resolve().parent.parent
WORK = ROOT / "build" / "wheels"
GLIBC = "2.28"
BUILD_TOOLS = ("scikit-build-core", "nanobind")
#: What a build prints when something in it will not work with a later tool.
COMPLAINT = re.compile(r"deprecat|will be removed|CMake Warning", re.IGNORECASE)


def call(*command: str | Path, **more: str) -> str:
    """Run a command and return what it printed; end with all of it if the command fails."""
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=ROOT,
        env={**os.environ, **more},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{done.stdout}\nfailed with exit code {done.returncode}: {' '.join(words)}")
    return done.stdout


def write_compilers(folder: Path) -> dict[str, str]:
    """Write the scripts that call the compiler for the older glibc; return the variables that name them."""
    spec = find_spec("ziglang")
    if spec is None or spec.origin is None:
        raise SystemExit("the compiler is missing: pip install 'widthwise[wheels]'")
    zig = Path(spec.origin).parent / "zig"
    folder.mkdir(parents=True, exist_ok=True)
    variables = {}
    for variable, command in (("CC", "cc"), ("CXX", "c++")):
        script = folder / f"zig-{command}"
        # The level of optimisation is that of every later call: the C++ library is compiled once for each.
        target = f"{platform.machine()}-linux-gnu.{GLIBC}"
        text = f'#!/bin/sh\nexec "{zig}" {command} -target {target} -O2 "$@"\n'
        if not script.exists() or script.read_text() != text:  # a cache of the compiler looks at its time
            script.write_text(text)
        script.chmod(0o755)
        variables[variable] = str(script)
    return variables


def build_source(out: Path) -> Path:
    """Build the source archive."""
    for old in out.glob("widthwise-*.tar.gz"):
        old.unlink()
    call(sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", out, ROOT)
    (archive,) = out.glob("widthwise-*.tar.gz")
    return archive


def unpack(archive: Path) -> Path:
    """Unpack the source archive, always into the same folder, so that a cache of the compiler knows the files."""
    shutil.rmtree(WORK / "source", ignore_errors=True)
    with tarfile.open(archive) as content:
        content.extractall(WORK / "source", filter="data")
    (folder,) = (WORK / "source").iterdir()
    return folder


def build_wheel(source: Path, python: Interpreter, compilers: dict[str, str]) -> Path:
    """Build the wheel for one Python and give it the tag of the systems it runs on."""
    folder = WORK / python.name
    raw, repaired = folder / "raw", folder / "repaired"
    for old in (raw, repaired, folder / "tree"):
        shutil.rmtree(old, ignore_errors=True)
    program = folder / "venv" / "bin" / "python"
    if not program.exists():
        call(python.path, "-m", "venv", "--without-pip", folder / "venv")
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "--python", program)
    call(*pip, "install", "--quiet", "--constraint", ROOT / "constraints.txt", *BUILD_TOOLS)
    tools = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"  # CMake and Ninja
    build = (*pip, "wheel", "--verbose", "--no-deps", "--no-build-isolation", "--wheel-dir", raw, source)
    text = call(*build, f"--config-settings=build-dir={folder / 'tree'}", **compilers, PATH=tools)
    (folder / "log.txt").write_text(text, encoding="utf-8")
    complaints = [line for line in text.splitlines() if COMPLAINT.search(line)]
    if complaints:
        raise SystemExit("\n".join(["the build complains:", *complaints]))
    (wheel,) = raw.glob("*.whl")
    call(sys.executable, "-m", "auditwheel", "repair", "--wheel-dir", repaired, wheel, PATH=tools)
    (result,) = repaired.glob("*.whl")
    return result


def publish(wheel: Path, out: Path) -> Path:
    """Move a wheel to the folder of results, in place of the one that was there for the same Python."""
    python_tag = wheel.name.split("-")[2]
    for old in out.glob(f"widthwise-*-{python_tag}-*linux*_{platform.machine()}.whl"):
        old.unlink()
    return Path(shutil.move(wheel, out / wheel.name))


def main() -> int:
    """Build, audit and check."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=ROOT / "dist", help="the folder for the files (default: dist)")
    args = parser.parse_args()
    if sys.platform != "linux":
        raise SystemExit("make wheels builds wheels for Linux; elsewhere: pip wheel --no-deps .")
    args.out.mkdir(parents=True, exist_ok=True)
    pythons = interpreters()
    with_headers = [python for python in pythons if python.headers]
    first = [python for python in with_headers if python.minor == 11]
    later = [python for python in with_headers if python.minor >= 12]
    compilers = write_compilers(WORK / "bin")
    archive = build_source(args.out)
    print(archive.name)
    source = unpack(archive)
    for build, name in ((first, "Python 3.11"), (later, "Python 3.12 and later (3.12, 3.13 or 3.14)")):
        if not build:
            print(f"no wheel for {name}: none with headers was found on this machine", file=sys.stderr)
            continue
        wheel = publish(build_wheel(source, build[0], compilers), args.out)
        if "abi3" in wheel.name:
            call(sys.executable, "-m", "abi3audit", "--strict", wheel)
        fitting = build if "abi3" not in wheel.name else [python for python in pythons if python.minor >= 12]
        for python in fitting:
            call(sys.executable, ROOT / "scripts" / "wheel_check.py", wheel, "--python", python.path)
        print(f"{wheel.name}: checked with {', '.join(python.name for python in fitting)}")
    return 0 if first and later else 1


if __name__ == "__main__":
    sys.exit(main())
