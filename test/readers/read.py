"""Reads the exports of a folder with one library and compares every value with what should be in them.

read.py LIBRARY FOLDER: the folder has `comment.ndjson`, `post.csv.zst` and so on, and `expected.json`: of each kind
its flat columns and its records. Ends with 1 and one line for each file in which something else was found.
"""

import csv
import gzip
import io
import json
import sys
from pathlib import Path

LIBRARY = sys.argv[1]
FOLDER = Path(sys.argv[2])
EXPECTED = json.loads((FOLDER / "expected.json").read_bytes())
COMPRESSIONS = ["", ".gz", ".zst"]


def main():
    found = [message for kind in EXPECTED for message in READERS[LIBRARY](kind) if message is not None]
    print("\n".join(found))
    sys.exit(1 if found else 0)


def flat(record, columns):
    row = {}
    for column in columns:
        value = record
        for name in column.split("."):
            value = value[name]
        row[column] = value
    return row


def nested_rows(kind):
    return EXPECTED[kind]["records"]


def flat_rows(kind):
    return [flat(record, EXPECTED[kind]["columns"]) for record in nested_rows(kind)]


def csv_rows(kind):
    """Cells as text, null as an empty one."""
    return [{name: cell(value) for name, value in row.items()} for row in flat_rows(kind)]


def cell(value):
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value)


def unequal(name, rows, expected):
    if len(rows) != len(expected):
        return f"{name}: expected {len(expected)} rows, found {len(rows)}"
    for number, (row, should) in enumerate(zip(rows, expected)):
        if row.keys() != should.keys():
            return f"{name}: expected columns {list(should)}, found {list(row)}"
        for column in should:
            if not same(row[column], should[column]):
                return f"{name}: row {number}, {column}: expected {short(should[column])}, found {short(row[column])}"
    return None


def short(value):
    return repr(value)[:200]


def same(value, should):
    if isinstance(should, dict):
        return value.keys() == should.keys() and all(same(value[name], should[name]) for name in should)
    if should is None:
        return value is None or value != value
    return isinstance(value, str) == isinstance(should, str) and value == should


def types(name, found, kind, expected):
    """`expected`: by the type of a column as the test has it."""
    wrong = [
        f"{name}: column {column}: expected {expected[type]}, found {found[column]}"
        for column, type in EXPECTED[kind]["columns"].items()
        if found[column] not in expected[type]
    ]
    return wrong[0] if wrong else None


def python(kind):
    """The standard library, and python-zstandard, whose readers end with the first frame."""
    for ending in COMPRESSIONS:
        name = f"{kind}.ndjson{ending}"
        with opened(name) as file:
            yield unequal(name, [json.loads(line) for line in file], nested_rows(kind))
        name = f"{kind}.csv{ending}"
        with opened(name) as file:
            yield unequal(name, list(csv.DictReader(file, strict=True)), csv_rows(kind))
        name = f"{kind}.excel.csv{ending}"
        with opened(name, "utf-8-sig") as file:
            yield unequal(name, list(csv.DictReader(file, strict=True)), excel_rows(kind))


def excel_rows(kind):
    formulas = tuple("=+-@\t\r\n＝＋－＠")
    texts = [name for name, type in EXPECTED[kind]["columns"].items() if type == "string"]
    rows = csv_rows(kind)
    for row in rows:
        for name in texts:
            if row[name].startswith(formulas):
                row[name] = "'" + row[name]
            row[name] = row[name][:32_767]
    return rows


def opened(name, encoding="utf-8"):
    file = open(FOLDER / name, "rb")
    if name.endswith(".gz"):
        file = gzip.GzipFile(fileobj=file)
    if name.endswith(".zst"):
        import zstandard

        file = zstandard.ZstdDecompressor().stream_reader(file)
    return io.TextIOWrapper(file, encoding=encoding, newline="\n" if "ndjson" in name else "")


def pyarrow(kind):
    import pyarrow.parquet

    name = f"{kind}.parquet"
    table = pyarrow.parquet.read_table(FOLDER / name)
    yield unequal(name, table.to_pylist(), flat_rows(kind))
    found = {field.name: str(field.type) for field in table.schema}
    arrow = {"int32": "int32", "int64": "int64", "double": "double", "boolean": "bool", "string": "string"}
    yield types(name, found, kind, arrow)
    about = pyarrow.parquet.read_metadata(FOLDER / name).metadata
    if about.get(b"colloquy.query") != b"solar,panel":
        yield f"{name}: expected the query among {about}"


def pandas(kind):
    import pandas

    name = f"{kind}.parquet"
    frame = pandas.read_parquet(FOLDER / name)
    yield unequal(name, frame.to_dict("records"), flat_rows(kind))
    found = {column: str(type) for column, type in frame.dtypes.items()}
    numpy = {
        "int32": ["int32"],
        "int64": ["int64", "float64"],
        "double": ["float64"],
        "boolean": ["bool"],
        "string": ["str", "object"],
    }
    yield types(name, found, kind, numpy)
    for ending in COMPRESSIONS:
        name = f"{kind}.csv{ending}"
        frame = pandas.read_csv(FOLDER / name, dtype=str, keep_default_na=False)
        yield unequal(name, frame.to_dict("records"), csv_rows(kind))
        name = f"{kind}.ndjson{ending}"
        frame = pandas.read_json(FOLDER / name, lines=True, dtype=False, precise_float=True)
        yield unequal(name, frame.to_dict("records"), nested_rows(kind))


def polars(kind):
    import polars

    name = f"{kind}.parquet"
    frame = polars.read_parquet(FOLDER / name)
    yield unequal(name, frame.to_dicts(), flat_rows(kind))
    found = {column: str(type) for column, type in frame.schema.items()}
    own = {"int32": "Int32", "int64": "Int64", "double": "Float64", "boolean": "Boolean", "string": "String"}
    yield types(name, found, kind, own)
    for ending in COMPRESSIONS:
        name = f"{kind}.csv{ending}"
        frame = polars.read_csv(FOLDER / name, infer_schema=False)
        yield unequal(name, without_null(frame.to_dicts()), csv_rows(kind))
        name = f"{kind}.ndjson{ending}"
        frame = polars.read_ndjson(FOLDER / name, infer_schema_length=None)
        yield unequal(name, frame.to_dicts(), nested_rows(kind))


def duckdb(kind):
    import duckdb

    name = f"{kind}.parquet"
    table = duckdb.sql(f"SELECT * FROM '{FOLDER / name}'")
    yield unequal(name, rows_of(table), flat_rows(kind))
    found = {column: str(type) for column, type in zip(table.columns, table.types)}
    sql = {"int32": "INTEGER", "int64": "BIGINT", "double": "DOUBLE", "boolean": "BOOLEAN", "string": "VARCHAR"}
    yield types(name, found, kind, sql)
    for ending in COMPRESSIONS:
        name = f"{kind}.csv{ending}"
        options = "header = true, all_varchar = true, delim = ',', quote = '\"', escape = '\"', nullstr = ''"
        table = duckdb.sql(f"SELECT * FROM read_csv('{FOLDER / name}', {options})")
        yield unequal(name, without_null(rows_of(table)), csv_rows(kind))
        name = f"{kind}.ndjson{ending}"
        table = duckdb.sql(
            f"SELECT * FROM read_json('{FOLDER / name}', format = 'newline_delimited', columns = {json_types(kind)})"
        )
        yield unequal(name, rows_of(table), nested_rows(kind))


def json_types(kind):
    """DuckDB guesses: an id like 1e5 would be a number."""
    sql = {"int32": "INTEGER", "int64": "BIGINT", "double": "DOUBLE", "boolean": "BOOLEAN", "string": "VARCHAR"}
    columns = {}
    for column, type in EXPECTED[kind]["columns"].items():
        if not column.startswith("subreddit."):
            columns[column] = sql[type]
        else:
            columns["subreddit"] = "STRUCT(id VARCHAR, name VARCHAR, nsfw BOOLEAN)"
    return columns


def without_null(rows):
    """Some readers take every empty cell for null."""
    return [{name: "" if value is None else value for name, value in row.items()} for row in rows]


def rows_of(table):
    return [dict(zip(table.columns, row)) for row in table.fetchall()]


READERS = {"python": python, "pyarrow": pyarrow, "pandas": pandas, "polars": polars, "duckdb": duckdb}

main()
