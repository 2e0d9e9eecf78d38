"""Memory does not grow with a file of rows: what Arrow and the process have at most is read from them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from anyurl.batch.tables import MAPPED_FROM
from anyurl.url.cut import COMPILED

READ = """
import sys
import pyarrow
from anyurl.batch.tables import Table
rows = 0
for batch in Table(sys.argv[1], "url"):
    rows += batch.num_rows
print(rows, pyarrow.default_memory_pool().max_memory())
"""

BATCH = 65_536
ROWS = (1_000_000, 30_000_000)


def batches(count: int) -> list[pa.RecordBatch]:
    """Batches of rows that compression does not make small."""
    schema = pa.schema([("url", pa.string()), ("id", pa.binary())])
    made = []
    for number in range(count):
        noise = os.urandom(16 * BATCH)
        ids = [noise[16 * row : 16 * row + 16] for row in range(BATCH)]
        urls = [f"http://h{number}.dom/{one.hex()}" for one in ids]
        made.append(pa.RecordBatch.from_arrays([pa.array(urls), pa.array(ids)], schema=schema))
    return made


def peak(path: Path) -> tuple[int, int]:
    """The rows of a file, and the most memory that Arrow had while they were read."""
    environment = {**os.environ, "ARROW_DEFAULT_MEMORY_POOL": "system"}
    done = subprocess.run([sys.executable, "-c", READ, str(path)], env=environment, capture_output=True, check=True)
    rows, most = done.stdout.split()
    return int(rows), int(most)


def test_parquet_of_many_groups_takes_no_more_than_of_few(tmp_path: Path) -> None:
    """Read ahead, all groups stayed in memory until the end."""
    found = {}
    for count in (2, 8):
        path = tmp_path / f"{count}.parquet"
        made = batches(count)
        with pq.ParquetWriter(path, made[0].schema) as writer:
            for batch in made:
                writer.write_batch(batch)
        rows, found[count] = peak(path)
        assert rows == count * BATCH
    assert found[8] < 1.2 * found[2]


def test_arrow_of_one_batch_is_not_read_whole(tmp_path: Path) -> None:
    path = tmp_path / "one.arrow"
    made = batches(1) * 16
    one = pa.Table.from_batches(made).combine_chunks().to_batches()
    assert len(one) == 1
    with pa.ipc.new_file(str(path), one[0].schema) as writer:
        writer.write_batch(one[0])
    assert path.stat().st_size > MAPPED_FROM
    rows, most = peak(path)
    assert rows == 16 * BATCH
    assert most < path.stat().st_size / 2


if COMPILED and os.environ.get("ANYURL_SLOW"):  # minutes, and hours uncompiled

    def test_thirty_times_the_rows_of_parquet_take_a_fifth_more_memory_at_most(tmp_path: Path) -> None:
        found = []
        for rows in ROWS:
            path, out = tmp_path / f"{rows}.parquet", tmp_path / "out.parquet"
            made = batches(1)
            with pq.ParquetWriter(path, made[0].schema) as writer:
                for _ in range(rows // BATCH):
                    writer.write_batch(made[0])
            child = subprocess.Popen(
                [sys.executable, "-m", "anyurl", "columns", str(path), "--column", "url", "-o", str(out)]
            )
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = os.waitstatus_to_exitcode(status)
            assert child.returncode == 0
            assert pq.ParquetFile(out).metadata.num_rows == rows // BATCH * BATCH
            found.append(used.ru_maxrss)
            path.unlink()
        assert found[1] < 1.2 * found[0], found
