"""Actors with Ray: the same lines as with processes; a cluster of several nodes, one of which is removed."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from learning_tools import HangingWalk, Walk
from widthwise.training import launch
from widthwise.training.ray_transport import RayTransport
from widthwise.training.run import TrainingListener, TrainingRun
from widthwise.training.run_settings import RunSettings
from widthwise.training.transport import ActorOptions, cluster_actors, cluster_released

pytest.importorskip("torch")
ray = pytest.importorskip("ray")
pytestmark = pytest.mark.slow


def settings(interactions: int = 600, **more: Any) -> RunSettings:
    overrides = {"steps_per_action": 4, "batch": 8}
    values = {"actors": 2, "planner_episodes": 0, "evaluation_share": 0.0, "evaluate_every": 300, "make": Walk}
    return RunSettings("walk (given in Python)", interactions, "pi-iw+", overrides=overrides, **{**values, **more})


def trained(
    folder: Path, options: ActorOptions, chosen: RunSettings, listener: TrainingListener | None = None
) -> dict[str, Any] | None:
    run = launch.begin(folder, chosen, listener, options=options)
    try:
        return run.run()
    finally:
        run.folder.close()


def lines(folder: Path) -> list[list[dict[str, Any]]]:
    contents = []
    for name in ("episodes.jsonl", "evaluations.jsonl"):
        records = [json.loads(line) for line in (folder / name).read_bytes().splitlines()]
        contents.append([{key: value for key, value in record.items() if "seconds" not in key} for record in records])
    return contents


class SlowClock:
    """Time for Ray's module that starts nodes: it waits 30 seconds for one, too few on a machine that is busy."""

    sleep, time = time.sleep, time.time

    @staticmethod
    def monotonic() -> float:
        return time.monotonic() / 10


def started(call: Callable[..., Any], **arguments: Any) -> Any:
    """The result of a call that starts a node."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ray._private.node.time", SlowClock)
        try:
            return call(**arguments)
        except Exception as error:
            if "timed out during startup" not in str(error):
                raise
            pytest.skip(f"Ray cannot start a node on this machine now: {error}")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head without cores for actors, and a node with one core; the test adds others."""
    from ray.cluster_utils import Cluster

    built = Cluster()
    started(built.add_node, num_cpus=0, object_store_memory=80_000_000, include_dashboard=False)
    started(built.add_node, num_cpus=1, object_store_memory=80_000_000)
    yield built
    ray.shutdown()
    built.shutdown()


def test_a_cluster_writes_the_lines_of_processes_also_when_it_loses_a_node(cluster: Any, tmp_path: Path) -> None:
    options = ActorOptions("ray", cluster.address)
    trained(tmp_path / "processes", ActorOptions(), settings())
    doomed = started(cluster.add_node, num_cpus=1, object_store_memory=80_000_000)

    class Remover(TrainingListener):
        removed = False

        def moved(self, run: TrainingRun) -> None:
            if not self.removed and run.trainer.interactions > 300:
                self.removed = True
                cluster.remove_node(doomed, allow_graceful=False)
                started(cluster.add_node, num_cpus=1, object_store_memory=80_000_000)

    result = trained(tmp_path / "ray", options, settings(), Remover())
    assert lines(tmp_path / "ray") == lines(tmp_path / "processes")
    assert result is not None
    assert result["actors_lost"] >= 1
    fault = json.loads((tmp_path / "ray" / "faults.jsonl").read_text().splitlines()[0])
    assert fault["reason"].startswith("Ray: ")
    free = trained(tmp_path / "free", options, settings(asynchronous=True, max_lag=200))
    assert free is not None
    assert max(line["lag"] for line in lines(tmp_path / "free")[0]) <= 200
    assert threading.active_count() < 200


def test_a_local_cluster_replaces_an_actor_whose_step_does_not_return_and_is_ended_with_the_run(tmp_path: Path) -> None:
    ray.shutdown()
    make = partial(HangingWalk, str(tmp_path / "marker"), os.getpid())
    # Long enough for a step of an actor that waits for a core; no other call takes as long.
    options = ActorOptions("ray", step_timeout=8.0)
    chosen = settings(300, evaluation_share=0.05, make=make)
    result = started(trained, folder=tmp_path / "run", options=options, chosen=chosen)
    assert result["actors_lost"] == 1
    fault = json.loads((tmp_path / "run" / "faults.jsonl").read_text())
    assert fault["reason"] == "a call into its simulator did not return in time"
    assert not ray.is_initialized()


def test_transports_share_a_connection_that_the_last_one_ends(cluster: Any) -> None:
    options = ActorOptions("ray", cluster.address)
    ray.shutdown()
    with cluster_released(options):
        assert cluster_actors(options) >= 1
        assert ray.is_initialized()
    assert not ray.is_initialized()
    first, second = RayTransport(cluster.address), RayTransport(cluster.address)
    first.close()
    first.close()
    assert ray.is_initialized()
    second.close()
    assert not ray.is_initialized()
    ray.init(address=cluster.address, log_to_driver=False)
    RayTransport(cluster.address).close()
    assert ray.is_initialized()
