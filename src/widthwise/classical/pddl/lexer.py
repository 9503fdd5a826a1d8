"""The lexer: a file becomes a list of lower-case words and parentheses.

Places are not computed while reading. A node of the syntax tree remembers the number of its token; only when
an error has to be shown is the text read a second time, with the same notion of a token, to find the line and
the column.
"""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import BinaryIO, NamedTuple, TypeAlias

from widthwise.core.errors import InputError, OutOfMemory
from widthwise.core.guard import Guard

#: Called now and then while reading; may raise to stop it. A `Guard` is asked for memory as well.
Check: TypeAlias = Callable[[], None]

TOKEN = re.compile(r";[^\r\n]*|[()]|\?[^\s();?]*|[^\s();?]+")
_COMMENT = re.compile(r";[^\r\n]*")
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1b\x7f]")
_LINE_END = re.compile(r"\r\n|\r|\n")

#: The most bytes that are read where no budget limits them.
MOST_BYTES = 1_000_000_000
PDDL_FILE = "a PDDL file"  # what messages call it
_CHUNK = 1 << 20
_COPIES = 5  # of a text while it is split: lower case, parentheses set apart
_TOKEN_BYTES = 120  # of a token and what the parser makes of it

END = ""  # the token after the last: no real token is empty


class Place(NamedTuple):
    """Where a token stands: line and column count from 1."""

    line: int
    column: int
    text: str
    width: int


class Source:
    """A text with its tokens and their places."""

    __slots__ = ("charged", "filename", "text", "tokens")

    def __init__(self, text: str, filename: str, check: Check | None = None) -> None:
        """Split a text into tokens; a `check` with a budget of memory is charged for them."""
        self.text = text
        self.filename = filename
        self.charged = 0
        if isinstance(check, Guard):
            copies = _COPIES * len(text)
            self.charged = _TOKEN_BYTES * (count_tokens(text) + 1)
            _charge(check, copies + self.charged, filename)
            check()
            self.tokens = tokenize(text)
            check.release(copies)
        else:
            self.tokens = tokenize(text)

    def drop_tokens(self, check: Check | None = None) -> None:
        """Forget the tokens once the text has been parsed; the syntax tree keeps those it needs."""
        self.tokens = [END]
        if isinstance(check, Guard):
            check.release(self.charged // 2)

    def place(self, index: int) -> Place:
        """Return the place of token number `index`; past the last token it is the end of the text.

        The text is read again up to the token, and nothing of it is kept: errors are rare, and files may be large.
        """
        start = stop = len(self.text.rstrip())
        if index >= 0:
            tokens = (match for match in TOKEN.finditer(self.text) if not match.group().startswith(";"))
            token = next(islice(tokens, index, None), None)
            if token is not None:
                start, stop = token.span()
        number, begin = 1, 0
        for end in _LINE_END.finditer(self.text, 0, start):
            number, begin = number + 1, end.end()
        after = _LINE_END.search(self.text, begin)
        line = self.text[begin : after.start() if after else len(self.text)]
        return Place(number, start - begin + 1, line, max(1, stop - start))

    def where(self, index: int) -> str:
        """Return `file:line:column` of token number `index`."""
        place = self.place(index)
        return f"{self.filename}:{place.line}:{place.column}"


def tokenize(text: str) -> list[str]:
    """Split a text into lower-case tokens, closed by `END`.

    Splitting at white space after setting the parentheses apart gives the same tokens as the expression
    `TOKEN` (checked by a test) in a quarter of the time.
    """
    if ";" in text:
        text = _COMMENT.sub(" ", text)
    if "?" in text:
        text = text.replace("?", " ?")  # some files write (aircraft?a)
    tokens = text.lower().replace("(", " ( ").replace(")", " ) ").split()
    tokens.append(END)
    return tokens


def decode(data: bytes, filename: str, what: str = PDDL_FILE) -> str:
    """Decode the bytes of a file: UTF-8, else Latin-1; what looks binary is refused."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = data.decode("latin-1")
    text = text.rstrip("\x1a")  # some old files end with the end-of-file mark of DOS
    bad = _CONTROL.search(text)
    if bad is not None:
        raise InputError(
            f"{filename}: this is a binary file, not {what} (byte {ord(bad.group()):#04x} at offset {bad.start()})"
        )
    return text


def count_tokens(text: str) -> int:
    """Return how many tokens a text has at most, in little time and memory."""
    marks = text.count("(") + text.count(")") + text.count("?")
    return 2 * marks + sum(text.count(space) for space in " \n\t\r")


def read_text(path: str | Path, check: Check | None = None, what: str = PDDL_FILE) -> tuple[str, str]:
    """Read a regular file, or stdin for `-`, and return its text and its name.

    The input is read in chunks, each of which a `check` with a budget is asked for. What the system refuses becomes
    an `InputError`; `what` says in it what the file should be.
    """
    name = str(path)
    try:
        if name == "-":
            name = "<stdin>"
            data = _read_chunks(sys.stdin.buffer, name, check)
        else:
            data = _read_file(path, name, check)
    except FileNotFoundError:
        raise InputError(f"{name}: there is no such file{_near_file(Path(path))}") from None
    except IsADirectoryError:
        raise InputError(f"{name}: this is a directory, not {what}") from None
    except NotADirectoryError:
        raise InputError(f"{name}: there is no such file; a part of its path is a file, not a directory") from None
    except PermissionError:
        raise InputError(f"{name}: the file cannot be read (permission denied)") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{name}: the file cannot be read ({getattr(error, 'strerror', None) or error})") from None
    return decode(data, name, what), name


def _read_file(path: str | Path, name: str, check: Check | None) -> bytes:
    # Without O_NONBLOCK, opening a named pipe would wait for a writer.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        status = os.fstat(handle)
        if stat.S_ISDIR(status.st_mode):
            raise IsADirectoryError
        if not stat.S_ISREG(status.st_mode):
            raise InputError(
                f"{name}: this is not a regular file\nhint: to read from a pipe, give - as the file and pipe into stdin"
            )
        with open(handle, "rb", closefd=False) as file:
            return _read_chunks(file, name, check)
    finally:
        os.close(handle)


def _read_chunks(file: BinaryIO, name: str, check: Check | None) -> bytes:
    chunks: list[bytes] = []
    size = 0
    while chunk := file.read(_CHUNK):
        size += len(chunk)
        if isinstance(check, Guard):
            _charge(check, 2 * len(chunk), name)  # the bytes and the text that is made of them
        elif size > MOST_BYTES:
            raise InputError(
                f"{name}: the input is larger than {MOST_BYTES // 1_000_000} MB\n"
                "hint: read it with a budget (Budget(bytes=...)) if it is meant to be that large"
            )
        if check is not None:
            check()
        chunks.append(chunk)
    return b"".join(chunks)


def _charge(check: Guard, amount: int, name: str) -> None:
    try:
        check.charge(amount)
    except OutOfMemory:
        raise OutOfMemory(
            f"{name}: the memory limit was reached while reading (reading needs {amount / 1e6:.1f} MB more); "
            "allow more memory or make the file smaller"
        ) from None


def _near_file(path: Path) -> str:
    """Suggest a file with a similar name in the same folder."""
    import difflib

    try:
        names = sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        return f"\nhint: the folder {path.parent} does not exist either"
    near = difflib.get_close_matches(path.name, names, 1)
    return f"\nhint: did you mean {path.parent / near[0]}?" if near else ""
