"""Bulk diagnosis with real processes: what is killed loses nothing and changes nothing."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest

import hickam
from hickam.batch.cases import spool
from hickam.batch.job import make_job
from hickam.batch.plan import plan
from hickam.batch.run import run_batch
from hickam.io.cases import write_cases
from hickam.issues import InvalidInput
from hickam.study.simulate import Simulation, simulate
from hickam.work.cluster import Dask
from hickam.work.folder import alone
from hickam.work.spread import Processes, one_by_one

pytest.importorskip("pyarrow")
HICKAM = [sys.executable, "-m", "hickam"]
PATIENCE = 120  # seconds that a step may take on a busy machine


def quiet(_what, _done, _total):
    pass


@pytest.fixture(scope="module")
def cases(tmp_path_factory):
    patients = Simulation(patients=90, most_findings=4, report_risks=1.0)
    found = simulate(hickam.load("clinic"), patients, np.random.default_rng(4))
    path = tmp_path_factory.mktemp("cases") / "cases.parquet"
    write_cases(path, [vignette.case for vignette in found])
    return path


@pytest.fixture(scope="module")
def reference(cases, tmp_path_factory):
    """The parts of an undisturbed run in one process."""
    folder = tmp_path_factory.mktemp("reference")
    run_batch(job(cases), folder, one_by_one, quiet)
    return parts(folder)


def job(cases, **given):
    network = hickam.load("clinic")
    return make_job(network, "clinic", cases, **{"part": 3, "top": 5, **given})


def parts(folder):
    return {path.name: path.read_bytes() for path in sorted(Path(folder).glob("part-*.parquet"))}


def command(cases, folder, *more):
    arguments = ["--network", "clinic", "--out", str(folder), "--part", "3", "--top", "5"]
    return [*HICKAM, "batch", str(cases), *arguments, *more]


def wait_until(condition, process=None):
    deadline = time.monotonic() + PATIENCE
    while not condition():
        if process is not None and process.poll() is not None:
            return
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def test_processes_give_the_same_bytes_as_one_process(cases, reference, tmp_path):
    spread = Processes(2)
    outcome = run_batch(job(cases), tmp_path, spread, quiet)
    spread.close()
    assert parts(tmp_path) == reference
    assert (outcome.cases, outcome.problems) == (90, 0)


def test_json_lines_give_the_same_bytes_as_parquet(cases, reference, tmp_path):
    from hickam.io.cases import read_cases

    path = tmp_path / "cases.jsonl"
    write_cases(path, read_cases(cases)[0])
    run_batch(job(path), tmp_path / "out", one_by_one, quiet)
    assert parts(tmp_path / "out") == reference


def test_a_resumed_run_does_only_what_is_missing(cases, reference, tmp_path):
    run_batch(job(cases), tmp_path, one_by_one, quiet)
    lost = tmp_path / "part-000004.parquet"
    kept = tmp_path / "part-000005.parquet"
    lost.unlink()
    before = kept.stat().st_mtime_ns
    done = []

    def counting(function, errands):
        for errand in errands:
            done.append(errand.task.number)
            yield function(errand)

    run_batch(job(cases), tmp_path, counting, quiet)
    assert done == [4]
    assert kept.stat().st_mtime_ns == before
    assert parts(tmp_path) == reference


def test_a_damaged_part_is_found_and_only_it_is_done_again(cases, reference, tmp_path):
    run_batch(job(cases), tmp_path, one_by_one, quiet)
    hurt = tmp_path / "part-000007.parquet"
    data = bytearray(hurt.read_bytes())
    data[100] ^= 255
    hurt.write_bytes(data)
    done = []

    def counting(function, errands):
        done.extend(errand.task.number for errand in errands)
        return map(function, errands)

    run_batch(job(cases), tmp_path, counting, quiet)
    assert done == [7]
    assert parts(tmp_path) == reference


def test_a_shard_reads_its_own_rows_and_not_the_input(cases, reference, tmp_path):
    from pyarrow.parquet import ParquetFile

    with ParquetFile(cases) as file:
        assert file.metadata.num_row_groups == 1
    shards = plan(job(cases), tmp_path)
    spool(cases, Path(shards[0].source), 3)
    for shard in shards:
        hidden = replace(shard, job=replace(shard.job, cases="/nowhere"))
        assert [row["id"] for row in hidden.rows()] == [
            f"s{number + 1:05d}" for number in range(shard.start, shard.start + shard.count)
        ]


def test_a_damaged_input_is_said_without_a_traceback(cases, tmp_path):
    path = tmp_path / "cases.parquet"
    data = bytearray(cases.read_bytes())
    data[40:400] = bytes(360)
    path.write_bytes(data)
    with pytest.raises(InvalidInput, match="cannot be read as Parquet"):
        run_batch(job(path), tmp_path / "out", one_by_one, quiet)


def test_an_edit_of_the_same_size_makes_another_job(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text('{"present": ["fever"]}\n{"present": ["cough"]}\n' * 100_000)
    before = job(path).key
    with path.open("r+b") as file:
        file.seek(2_400_000 - 2_400_000 % 46 + 13)
        file.write(b"c")
    assert job(path).key != before


def test_cases_that_change_while_they_are_diagnosed_are_noticed(tmp_path):
    path = tmp_path / "cases.jsonl"
    path.write_text('{"present": ["fever"]}\n' * 4)

    def meddling(function, errands):
        yield function(errands[0])
        path.write_text('{"present": ["cough"]}\n' * 4)
        yield from map(function, errands[1:])

    planned = job(path)
    with pytest.raises(InvalidInput, match="changed while"):
        run_batch(planned, tmp_path / "out", meddling, quiet)
    path.write_text('{"present": ["fever"]}\n' * 4)
    run_batch(planned, tmp_path / "out", one_by_one, quiet)
    run_batch(planned, tmp_path / "alone", one_by_one, quiet)
    assert parts(tmp_path / "out") == parts(tmp_path / "alone")


def test_a_mistyped_engine_fails_before_any_work(cases, tmp_path):
    done = subprocess.run(
        command(cases, tmp_path / "out", "--engine", "covr"), capture_output=True, text=True
    )
    assert done.returncode == 3
    assert "did you mean 'cover'?" in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_full_disk_is_said_and_the_work_resumes(cases, reference, tmp_path, workers):
    import resource

    def almost_full():
        resource.setrlimit(resource.RLIMIT_FSIZE, (2000, 2000))

    full = subprocess.run(
        command(cases, tmp_path, "--workers", workers),
        capture_output=True,
        text=True,
        preexec_fn=almost_full,
        env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"},
    )
    assert full.returncode == 3
    assert "cannot be written" in full.stderr
    assert "Traceback" not in full.stderr
    assert not list(tmp_path.rglob("*.tmp"))
    subprocess.run(command(cases, tmp_path, "--workers", "1"), check=True, timeout=PATIENCE)
    assert parts(tmp_path) == reference


def test_a_folder_of_another_job_is_refused(cases, tmp_path):
    plan(job(cases), tmp_path)
    with pytest.raises(InvalidInput, match="another batch"):
        plan(job(cases, measure="posterior"), tmp_path)


def test_a_case_that_cannot_be_read_says_why_and_the_others_go_on(tmp_path):
    rows = [{"id": "a", "present": ["feverr"]}, {"id": "b", "present": ["fever"]}, ["c"]]
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)) + "\nnot json\n")
    outcome = run_batch(job(path), tmp_path / "out", one_by_one, quiet)
    assert (outcome.cases, outcome.problems) == (4, 3)
    from pyarrow import parquet

    table = parquet.read_table(tmp_path / "out").to_pylist()
    assert "did you mean" in table[0]["problem"]
    assert [row["case"] for row in table if row["disease"]] == ["b"] * 5


@dataclass(frozen=True)
class Fragile:
    """A task that takes its process down the first time."""

    key: str
    folder: str


def fall_once(task):
    mark = Path(task.folder) / task.key
    if not mark.exists():
        mark.write_text("")
        os.kill(os.getpid(), signal.SIGKILL)
    return task.key


def test_a_killed_process_does_not_lose_its_task(tmp_path):
    spread = Processes(2)
    tasks = [Fragile(str(number), str(tmp_path)) for number in range(2)]
    assert sorted(spread(fall_once, tasks)) == ["0", "1"]
    spread.close()


def test_a_killed_driver_loses_nothing(cases, reference, tmp_path):
    driver = subprocess.Popen(command(cases, tmp_path, "--workers", "1"), stderr=subprocess.DEVNULL)
    wait_until(lambda: len(parts(tmp_path)) >= 2, driver)
    driver.kill()
    driver.wait()
    assert set(parts(tmp_path)) <= set(reference)
    subprocess.run(command(cases, tmp_path, "--workers", "1"), check=True, timeout=PATIENCE)
    assert parts(tmp_path) == reference
    assert json.loads((tmp_path / "_manifest.json").read_text())["finished"]["cases"] == 90


def test_a_second_driver_on_a_folder_is_refused_and_changes_nothing(cases, reference, tmp_path):
    with alone(tmp_path):
        second = subprocess.run(
            command(cases, tmp_path, "--workers", "1"),
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    assert second.returncode == 3
    assert "is in use by another run" in second.stderr
    assert "Traceback" not in second.stderr
    assert not parts(tmp_path)
    subprocess.run(command(cases, tmp_path, "--workers", "1"), check=True, timeout=PATIENCE)
    assert parts(tmp_path) == reference


def offspring(pid):
    """The processes that a process has started."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            said = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(said[1]) == pid:
            found.append(int(entry.name))
    return found


def alive(pid):
    """Whether a process runs; one that ended and was not yet collected does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
@pytest.mark.parametrize("where", [["--workers", "2"], ["--dask", "--workers", "1"]])
def test_a_killed_driver_leaves_no_workers_behind(cases, tmp_path, where):
    if "--dask" in where:
        pytest.importorskip("distributed")
    long = tmp_path / "long.jsonl"
    long.write_text('{"present": ["fever", "cough", "headache"]}\n' * 30_000)
    driver = subprocess.Popen(
        command(long, tmp_path / "out", *where),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    wait_until(lambda: len(parts(tmp_path / "out")) >= 2, driver)
    workers = offspring(driver.pid)
    assert len(workers) >= 2
    driver.kill()
    driver.wait()
    wait_until(lambda: not any(map(alive, workers)))


@pytest.fixture
def started():
    """Processes to end, by their process id, whatever happens."""
    found = []
    yield found
    for process in reversed(found):
        process.kill()
        process.wait()


@pytest.fixture
def cluster(started, tmp_path):
    """A Dask scheduler on loopback and a way to start workers."""
    pytest.importorskip("distributed")
    contact = tmp_path / "scheduler.json"
    dask = [sys.executable, "-m", "dask"]

    def start(*arguments):
        process = subprocess.Popen(
            [*dask, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path
        )
        started.append(process)
        return process

    start(
        "scheduler",
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--no-show",
        "--scheduler-file",
        str(contact),
    )
    wait_until(lambda: contact.exists() and contact.read_text().rstrip().endswith("}"))

    def worker():
        return start(
            "worker",
            "--scheduler-file",
            str(contact),
            "--no-nanny",
            "--nthreads",
            "1",
            "--host",
            "127.0.0.1",
            "--no-dashboard",
            "--local-directory",
            str(tmp_path),
        )

    address = json.loads(contact.read_text())["address"]
    return address, worker


def test_killed_dask_workers_lose_nothing_and_the_result_is_the_local_one(
    cases, reference, cluster, tmp_path
):
    address, worker = cluster
    folder = tmp_path / "out"
    first = worker()
    driver = subprocess.Popen(
        command(cases, folder, "--scheduler", address), stderr=subprocess.DEVNULL
    )
    wait_until(lambda: len(parts(folder)) >= 2, driver)
    first.kill()
    first.wait()
    assert set(parts(folder)) <= set(reference)
    worker()
    worker()
    assert driver.wait(timeout=PATIENCE) == 0
    assert parts(folder) == reference


def test_a_scheduler_that_dies_is_said_and_the_work_resumes(
    cases, reference, cluster, started, tmp_path
):
    address, worker = cluster
    folder = tmp_path / "out"
    worker()
    driver = subprocess.Popen(
        command(cases, folder, "--scheduler", address), stderr=subprocess.PIPE, text=True
    )
    wait_until(lambda: len(parts(folder)) >= 2, driver)
    started[0].kill()
    started[0].wait()
    said = driver.communicate(timeout=PATIENCE)[1]
    assert driver.returncode == 3, said
    assert "cannot be reached" in said
    assert "Traceback" not in said
    assert 2 <= len(parts(folder)) < len(reference)
    subprocess.run(command(cases, folder, "--workers", "1"), check=True, timeout=PATIENCE)
    assert parts(folder) == reference


@pytest.mark.filterwarnings("ignore::ResourceWarning")
def test_a_scheduler_that_is_not_there_is_said_without_a_traceback(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("hickam.work.cluster.REACH", 1.0)
    reach = Dask("tcp://127.0.0.1:1", 1)
    with pytest.raises(InvalidInput, match="cannot be reached"):
        list(reach(fall_once, [Fragile("0", str(tmp_path))]))


def test_a_study_on_dask_has_the_local_numbers(cluster, tmp_path):
    from hickam.study.design import Setting, Study
    from hickam.study.run import run_study

    address, worker = cluster
    worker()
    patients = {"patients": 30, "most_findings": 3, "report_risks": 1.0}
    study = Study("s", "clinic", {"simulate": patients}, settings=(Setting("plain"),), seed=3)
    here = run_study(study, tmp_path / "here")
    spread = Dask(address, 1)
    there = run_study(study, tmp_path / "there", spread)
    spread.close()
    for algorithm, places in here.positions.items():
        assert there.positions[algorithm].tolist() == places.tolist()
