"""What the service counts, in the format of Prometheus."""

from __future__ import annotations

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    generate_latest,
)

from widthwise.service.worker_pool import Observer

_SECONDS = (0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)


class Metrics(Observer):
    """The counters of one service."""

    content_type = CONTENT_TYPE_LATEST

    def __init__(self) -> None:
        self.registry = registry = CollectorRegistry()
        ProcessCollector(registry=registry)
        self.responses = Counter(
            "widthwise_responses", "HTTP responses", ["route", "method", "code"], registry=registry
        )
        self.jobs = Counter("widthwise_jobs", "jobs by kind and how they ended", ["kind", "status"], registry=registry)
        self.restarts = Counter("widthwise_worker_restarts", "worker processes that were replaced", registry=registry)
        self.waiting = Gauge("widthwise_waiting", "requests in the queue", registry=registry)
        self.running = Gauge("widthwise_running", "requests in progress", registry=registry)
        self.queue_seconds = Histogram(
            "widthwise_queue_seconds", "seconds in the queue", buckets=_SECONDS, registry=registry
        )
        self.work_seconds = Histogram(
            "widthwise_work_seconds", "seconds of work on a request", ["kind"], buckets=_SECONDS, registry=registry
        )

    def waited(self, seconds: float) -> None:
        """Count a job that has left the queue."""
        self.queue_seconds.observe(seconds)

    def restarted(self) -> None:
        """Count a worker process that is replaced."""
        self.restarts.inc()

    def ended(self, kind: str, status: str, seconds: float) -> None:
        """Count a job that has ended."""
        self.jobs.labels(kind, status).inc()
        self.work_seconds.labels(kind).observe(seconds)

    def text(self) -> bytes:
        """All numbers, as Prometheus reads them."""
        return generate_latest(self.registry)
