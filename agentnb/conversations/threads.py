"""Where do things run? Each turn in a thread with a loop of its own, each plain function in a thread of its own, and all models on one loop.

Clients of models keep connections that belong to a loop; on one loop that lives as long as the process they can be used again. Threads are daemons: a tool that
hangs keeps no process alive.
"""

from __future__ import annotations

import asyncio
import contextvars
import threading
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from functools import cache
from typing import Any, TypeVar

T = TypeVar("T")


async def in_thread(function: Callable[[], T]) -> T:
    """Run a function in a new thread, with the context of the caller, and wait for it; when the wait is cancelled, what it still gives is dropped."""
    return await asyncio.wrap_future(started(function))


def started(function: Callable[[], T], *, name: str = "agentnb-call") -> Future[T]:
    """Start a function in a new thread, with the context of the caller."""
    context = contextvars.copy_context()
    future: Future[T] = Future()
    future.set_running_or_notify_cancel()

    def run() -> None:
        try:
            result = context.run(function)
        except BaseException as error:
            future.set_exception(error)
        else:
            future.set_result(result)

    threading.Thread(target=run, name=name, daemon=True).start()
    return future


@cache
def model_loop() -> asyncio.AbstractEventLoop:
    """Return the loop on which models are asked."""
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="agentnb-models", daemon=True).start()
    return loop


async def on_model_loop(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on the loop of the models, and wait for it; a wait that is cancelled cancels it."""
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(coroutine, model_loop()))


def run_to_end(coroutine: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine on a loop of its own, in a thread of its own, and wait for it here: also where this thread has a loop that runs, as in a notebook."""
    return started(lambda: asyncio.run(coroutine)).result()
