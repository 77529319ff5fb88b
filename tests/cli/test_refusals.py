"""What cannot be answered is said in a sentence, at once, and never as a defect of msj."""

import os
import subprocess
import sys
import time

import pytest
from attempt import attempt

import msj
from msj.model import JobClass, System, write

ALL = """
[[classes]]
name = "all"
need = {need}
share = 1
duration = {duration}
"""


def spec(tmp_path, servers, need, duration='{ law = "exponential", mean = 1 }'):
    file = tmp_path / "cluster.toml"
    file.write_text(f"servers = {servers}\n" + ALL.format(need=need, duration=duration), encoding="utf-8")
    return str(file)


def test_more_servers_than_a_machine_counts_are_refused_at_once(tmp_path):
    started = time.perf_counter()
    code, out, err = attempt("analyse", spec(tmp_path, 10**19, 10**19))
    assert code in (0, 2)
    assert "naive_threshold" in out or "servers" in err
    assert time.perf_counter() - started < 5


def test_a_load_next_to_the_threshold_leaves_out_what_rounding_decides():
    code, out, _ = attempt("analyse", "examples/two_servers.toml", "--load", "0.9999999999999999")
    assert code == 0
    assert "stability_threshold" in out
    assert "Exact response times are left out" in out


@pytest.mark.parametrize("key", ["servers", "classes"])
def test_a_key_given_twice_in_json_is_refused(tmp_path, key):
    file = tmp_path / "cluster.json"
    write(msj.read("examples/two_servers.toml"), file)
    text = file.read_text(encoding="utf-8").replace("{", f'{{"{key}": 1, ', 1)
    file.write_text(text, encoding="utf-8")
    code, _, err = attempt("analyse", str(file))
    assert code == 2
    assert f"'{key}' is given twice" in err


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no such device here")
@pytest.mark.parametrize("command", ["analyse", "simulate"])
def test_files_without_an_end_are_refused(tmp_path, command):
    for file in (spec(tmp_path, 2, 1, '{ law = "empirical", file = "/dev/zero" }'), "/dev/zero"):
        code, _, err = attempt(command, file)
        assert code == 2
        assert "is a device" in err


def test_damaged_compiled_code_is_said_with_its_place(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    file = tmp_path / "two.toml"
    one = JobClass(name="all", need=1, share=1, duration=msj.Exponential(mean=1))
    write(System(servers=2, load=0.5, classes=[one]), file)
    command = [sys.executable, "-m", "msj", "fluid", str(file), "--until", "1", "--paths", "1", "--seed", "1"]
    subprocess.run(command, env=environment, capture_output=True, check=True)
    kept = list(tmp_path.rglob("*.nbi"))
    assert kept
    for each in kept:
        each.write_bytes(each.read_bytes()[:20])
    again = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert again.returncode == 2
    assert "delete the .nbi and .nbc files" in again.stderr


def test_a_group_that_is_too_small_is_said_as_it_is():
    one = JobClass(name="wide", need=2, share=1, duration=msj.Exponential(mean=1), extra={"groups": ["g1"]})
    with pytest.raises(msj.InvalidInput, match="needs 2 servers of one group and group 'g1' has 1;"):
        System(servers=4, classes=[one], model={"name": "server-groups", "groups": {"g1": 1, "g2": 3}})


def test_rare_small_jobs_keep_the_digits_of_their_share():
    jobs = [
        JobClass(name="small", need=1, share="1/1000000000000", duration=msj.Exponential(rate=1e-6)),
        JobClass(name="large", need=10, share="999999999999/1000000000000", duration=msj.Exponential(rate=1e6)),
    ]
    system = System(servers=10, classes=jobs)
    formula = msj.analyse(system, method="closed-form")["stability_threshold"]
    assert formula == pytest.approx(msj.analyse(system, method="chain")["stability_threshold"], rel=1e-9)
    assert formula == pytest.approx(500_000, rel=1e-9)
