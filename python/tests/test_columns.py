"""Encrypted columns."""

import base64
import json
from datetime import UTC, date, datetime
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import roundel
from roundel import columns

TABLE = pa.table(
    {
        "id": pa.array(range(5), pa.int64()),
        "name": pa.array(["Ada", None, "", "Käthe", "e"], pa.string()),
        "raw": pa.array([b"\0", b"", None, b"abc", b"d"], pa.binary()),
        "small": pa.array([1, -2, None, 4, 5], pa.int8()),
        "real": pa.array([0.5, None, float("inf"), -0.0, 3.25], pa.float64()),
        "flag": pa.array([True, False, None, True, False]),
        "day": pa.array([date(2026, 11, 22), None, date(1970, 1, 1), date(1900, 2, 28), date(2100, 1, 1)]),
        "time": pa.array([datetime(2026, 11, 22, 1, 2, 3, tzinfo=UTC)] * 4 + [None], pa.timestamp("us", "UTC")),
        "price": pa.array([Decimal("1.10"), None, Decimal("-7.25"), Decimal("0.00"), Decimal("9.99")], pa.decimal128(10, 2)),
        "fixed": pa.array([b"1234", None, b"abcd", b"\0\0\0\0", b"wxyz"], pa.binary(4)),
    }
)
HIDDEN = [name for name in TABLE.column_names if name != "id"]


def test_every_type_there_and_back(pair):
    sealed = columns.seal_table(TABLE, HIDDEN, pair.public)
    assert columns.sealed_columns(sealed.schema) == HIDDEN
    assert sealed.column("id").equals(TABLE.column("id"))
    for name in HIDDEN:
        cells = sealed.column(name).to_pylist()
        assert None not in cells and len(set(cells)) == len(cells)
    assert columns.open_table(sealed, pair.secret).equals(TABLE, check_metadata=True)
    with pytest.raises(roundel.WrongKeyError):
        columns.open_table(sealed, roundel.keygen().secret)


def test_slices_chunks_and_dictionaries(pair):
    sliced = pa.concat_tables([TABLE.slice(1, 3), TABLE.slice(0, 2), TABLE.slice(5)])
    assert columns.open_table(columns.seal_table(sliced, HIDDEN, pair.public), pair.secret).equals(sliced)
    words = pa.table({"word": pa.array(["a", "b", None, "a"]).dictionary_encode()})
    opened = columns.open_table(columns.seal_table(words, "word", pair.public), pair.secret)
    assert opened.column("word").to_pylist() == ["a", "b", None, "a"]


def test_pandas(pair):
    frame = pd.DataFrame({"id": [1, 2, 3], "salary": [10.5, 20.25, 30.0]}, index=["x", "y", "z"])
    sealed = columns.seal_table(pa.Table.from_pandas(frame), "salary", recipients=pair.public)
    assert columns.open_table(sealed, pair.secret).to_pandas().equals(frame)


def test_changes_are_noticed(pair):
    sealed = columns.seal_table(TABLE, ["name", "small"], pair.public)

    def refused(table, kind=roundel.AuthenticationError):
        with pytest.raises(kind):
            columns.open_table(table, pair.secret)

    swapped = sealed.take([1, 0, 2, 3, 4]).replace_schema_metadata(sealed.schema.metadata)
    refused(swapped)
    refused(sealed.slice(0, 4), roundel.TruncatedError)
    at, other = sealed.schema.get_field_index("name"), sealed.schema.get_field_index("small")
    crossed = sealed.set_column(at, sealed.schema.field(at), sealed.column(other))
    refused(crossed)
    refused(sealed.drop_columns("name"), roundel.DamagedError)
    nulled = sealed.set_column(at, "name", pa.array([None] * 5, pa.large_binary()))
    refused(nulled, roundel.DamagedError)
    facts = json.loads(sealed.schema.metadata[b"roundel"])
    envelope = bytearray(base64.b64decode(facts["sealed_key"]))
    envelope[-1] ^= 1
    facts["sealed_key"] = base64.b64encode(envelope).decode()
    refused(sealed.replace_schema_metadata({b"roundel": json.dumps(facts).encode()}))
    other_key = columns.seal_table(TABLE, ["name", "small"], pair.public)
    refused(other_key.replace_schema_metadata(sealed.schema.metadata))


def test_refusals(pair):
    for names, message in [("nobody", "no column"), ([], "name the columns"), (["id", "id"], "each of them once")]:
        with pytest.raises(roundel.ParameterError, match=message):
            columns.seal_table(TABLE, names, pair.public)
    nested = pa.table({"list": pa.array([[1], [2]])})
    with pytest.raises(roundel.ParameterError, match="cannot be encrypted"):
        columns.seal_table(nested, "list", pair.public)
    with pytest.raises(roundel.ParameterError, match="already"):
        columns.seal_table(columns.seal_table(TABLE, "id", pair.public), "name", pair.public)
    with pytest.raises(roundel.ParameterError, match="no column"):
        columns.open_table(TABLE, pair.secret)


def test_parquet_by_row_groups(tmp_path, pair):
    rows = 1000
    table = pa.table({"id": range(rows), "name": [f"name {row}" for row in range(rows)]})
    plain, sealed, opened = tmp_path / "plain.parquet", tmp_path / "sealed.parquet", tmp_path / "opened.parquet"
    pq.write_table(table, plain, row_group_size=300)
    assert columns.seal_parquet(plain, sealed, "name", pair.public) == rows
    assert pq.ParquetFile(sealed).num_row_groups == 4
    # What is not encrypted can be filtered by any reader.
    assert pq.read_table(sealed, filters=[("id", ">=", 990)]).num_rows == 10
    assert b"name 7" not in sealed.read_bytes()
    assert columns.open_parquet(sealed, opened, pair.secret) == rows
    assert pq.read_table(opened).equals(table)
