"""Databases that queries are run on: two in the process, two as servers in a temporary folder.

Servers listen on a socket of that folder and on nothing else. What a machine does not have is
skipped, with a reason. Every server that is started here is ended by its process id.
"""

import os
import pwd
import shutil
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

KINDS = ("sqlite", "duckdb", "postgresql", "mysql")
_TYPES = {
    "sqlite": ("", "", ""),
    "duckdb": ("DOUBLE", "VARCHAR", "BIGINT"),
    "postgresql": ("DOUBLE PRECISION", "TEXT", "BIGINT"),
    "mysql": ("DOUBLE", "VARCHAR(400) CHARACTER SET utf8mb4", "BIGINT"),
}


class Database:
    """A connection, with what differs between the libraries."""

    def __init__(self, dialect: str, connection: Any) -> None:
        self.dialect, self.connection = dialect, connection

    def run(self, text: str) -> list[tuple[Any, ...]]:
        """Run a statement; return its rows."""
        # A cursor of DuckDB is a connection of its own, which does not see frames.
        cursor = self.connection if self.dialect == "duckdb" else self.connection.cursor()
        cursor.execute(text)
        rows = cursor.fetchall() if cursor.description else []
        return [tuple(row) for row in rows]

    def quoted(self, name: str) -> str:
        mark = "`" if self.dialect == "mysql" else '"'
        return mark + name.replace(mark, mark * 2) + mark

    def make_table(self, name: str, X: pd.DataFrame) -> None:
        """Make a table of some rows, with their numbers in the column row_key."""
        number, text, whole = _TYPES[self.dialect]
        kinds = [number if pd.api.types.is_float_dtype(X[c]) else text for c in X.columns]
        pairs = zip(map(self.quoted, X.columns), kinds, strict=True)
        columns = ", ".join(f"{column} {kind}" for column, kind in pairs)
        self.run(f"CREATE TABLE {name} (row_key {whole}, {columns})")
        numbered = X.astype(object).where(X.notna(), None)
        rows = [(i, *row) for i, row in enumerate(numbered.itertuples(index=False, name=None))]
        self._insert(name, rows)

    def _insert(self, name: str, rows: list[tuple[Any, ...]]) -> None:
        if self.dialect == "duckdb":
            frame = pd.DataFrame(rows, columns=[f"c{i}" for i in range(len(rows[0]))])
            self.connection.register("given", frame)
            self.run(f"INSERT INTO {name} SELECT * FROM given")
            self.connection.unregister("given")
        elif self.dialect == "postgresql":
            with self.connection.cursor().copy(f"COPY {name} FROM STDIN") as copy:
                for row in rows:
                    copy.write_row(row)
        elif self.dialect == "mysql":
            self._load(name, rows)
        else:
            marks = ", ".join("?" * len(rows[0]))
            self.connection.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)

    def _load(self, name: str, rows: list[tuple[Any, ...]]) -> None:
        with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", delete=False) as file:
            for row in rows:
                cells = ["\\N" if v is None else _escaped(v) for v in row]
                file.write("\t".join(cells) + "\n")
        try:
            self.run(
                f"LOAD DATA LOCAL INFILE '{file.name}' INTO TABLE {name} CHARACTER SET utf8mb4"
            )
        finally:
            os.unlink(file.name)


def _escaped(value: Any) -> str:
    text = str(value) if isinstance(value, str) else repr(value)
    for char, mark in (("\\", "\\\\"), ("\t", "\\t"), ("\n", "\\n")):
        text = text.replace(char, mark)
    return text


@contextmanager
def opened(dialect: str) -> Iterator[Database]:
    """A database of a kind; skips the test where there is none."""
    if dialect == "sqlite":
        connection: Any = sqlite3.connect(":memory:")
        yield Database(dialect, connection)
        connection.close()
    elif dialect == "duckdb":
        duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
        connection = duckdb.connect()
        yield Database(dialect, connection)
        connection.close()
    else:
        started = _postgresql if dialect == "postgresql" else _mariadb
        with tempfile.TemporaryDirectory() as folder, started(Path(folder)) as connection:
            yield Database(dialect, connection)
            connection.close()


def _wait(connect: Any, server: subprocess.Popen[bytes], log: Path) -> Any:
    for _ in range(300):
        try:
            return connect()
        except Exception:
            if server.poll() is not None:
                break
            time.sleep(0.1)
    raise RuntimeError(f"the server did not start:\n{log.read_text(errors='replace')[-2000:]}")


@contextmanager
def _serving(command: list[str], log: Path, user: str | None) -> Iterator[subprocess.Popen[bytes]]:
    with log.open("wb") as output:
        server = subprocess.Popen(command, stdout=output, stderr=output, user=user)
        try:
            yield server
        finally:
            server.terminate()
            server.wait(30)


def _other_user(name: str, folder: Path) -> str | None:
    """The user that a server runs as, who owns the folder; None for who runs the tests."""
    if os.getuid() != 0:
        return None
    try:
        owner = pwd.getpwnam(name)
    except KeyError:
        pytest.skip(f"there is no user {name} to run the server as")
    os.chown(folder, owner.pw_uid, owner.pw_gid)
    return name


@contextmanager
def _postgresql(folder: Path) -> Iterator[Any]:
    psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed")
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/postgres"))
    binary = shutil.which("postgres") or (str(found[-1]) if found else None)
    if binary is None:
        pytest.skip("PostgreSQL is not installed")
    user, data = _other_user("postgres", folder), folder / "data"
    init = [str(Path(binary).with_name("initdb")), "-D", str(data), "-U", "tester", "-A", "trust"]
    init += ["-E", "UTF8", "--locale=C.UTF-8", "--no-sync"]
    subprocess.run(init, check=True, capture_output=True, user=user, cwd=folder)
    command = [binary, "-D", str(data), "-k", str(folder), "-c", "listen_addresses=", "-F"]
    with _serving(command, folder / "log", user) as server:

        def connect() -> Any:
            return psycopg.connect(f"host={folder} user=tester dbname=postgres", autocommit=True)

        yield _wait(connect, server, folder / "log")


@contextmanager
def _mariadb(folder: Path) -> Iterator[Any]:
    pymysql = pytest.importorskip("pymysql", reason="PyMySQL is not installed")
    binary, install = shutil.which("mariadbd", path=_PATH), shutil.which("mariadb-install-db")
    if binary is None or install is None:
        pytest.skip("MariaDB is not installed")
    user, data, socket = _other_user("mysql", folder), folder / "data", str(folder / "socket")
    own = ["--no-defaults", f"--datadir={data}"]
    made = [install, *own, "--auth-root-authentication-method=normal", "--skip-test-db"]
    subprocess.run(made, check=True, capture_output=True, user=user, cwd=folder)
    command = [binary, *own, f"--socket={socket}", "--skip-networking", "--local-infile=1"]
    with _serving(command, folder / "log", user) as server:

        def connect() -> Any:
            os.stat(socket)  # before it is there, an attempt would leave one of its own open
            return pymysql.connect(
                unix_socket=socket,
                user="root",
                charset="utf8mb4",
                autocommit=True,
                local_infile=True,
            )

        connection = _wait(connect, server, folder / "log")
        with connection.cursor() as cursor:
            cursor.execute("CREATE DATABASE tested CHARACTER SET utf8mb4")
            cursor.execute("USE tested")
        yield connection


_PATH = f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin"
