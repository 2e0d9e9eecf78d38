"""A loop that an event loop turns: when, in which process, and what is left of it."""

from __future__ import annotations

import asyncio
import gc
import math
import os
import socket
import weakref
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from anyurl.net.loop.asyncio_driver import Answers, AsyncioDriver, Waker
from anyurl.net.loop.loop import READ, Loop


class Turned:
    """Something with a loop."""

    def __init__(self) -> None:
        self.loop = Loop()

    def close(self) -> None:
        self.loop.close()


def driven(step: Callable[[AsyncioDriver[Turned]], Awaitable[object]]) -> None:
    """Run a step with a driver, which is closed behind it."""

    async def main() -> None:
        driver = AsyncioDriver(Turned())
        try:
            async with asyncio.timeout(10):
                await step(driver)
        finally:
            driver.close()
        loop = asyncio.get_running_loop()
        assert driver.scheduler.loop.closed
        assert driver._timer is None or driver._timer.cancelled()
        assert driver._due is None or driver._due.cancelled()
        assert not loop._ready or all(handle._cancelled for handle in loop._ready)  # type: ignore[attr-defined]

    asyncio.run(main())


def test_it_turns_where_something_is_ready_queued_or_due() -> None:
    async def step(driver: AsyncioDriver[Turned]) -> None:
        came: list[str] = []
        waker = Waker()

        def noted(name: str) -> None:
            came.append(name)
            waker()

        loop = driver.scheduler.loop
        near, far = socket.socketpair()
        with near, far:
            loop.watch(near.fileno(), READ, lambda _events: (near.recv(9), noted("ready")))
            far.send(b"x")
            await driver.change(waker)
            loop.soon(noted, "queued")
            await driver.change(waker)
            loop.after(0.01, lambda: noted("due"))
            await driver.change(waker)
            timer = loop.after(60, lambda: noted("never"))
            driver.rearm()
            first = driver._timer
            loop.after(0.01, lambda: noted("sooner"))
            await driver.change(waker)
            assert first is not None
            assert first.cancelled()
            timer.cancel()
            driver.rearm()
            assert driver._timer is None
            loop.unwatch(near.fileno())
        assert came == ["ready", "queued", "due", "sooner"]
        assert waker.future is None
        waker()  # nobody waits

    driven(step)


def test_a_callback_that_raises_stops_no_timer_of_others() -> None:
    async def step(driver: AsyncioDriver[Turned]) -> None:
        came = asyncio.Event()
        driver.scheduler.loop.after(0.01, came.set)
        driver.scheduler.loop.soon(int, "no number")
        with pytest.raises(ValueError, match="no number"):
            driver.turn()
        await came.wait()

    driven(step)


def test_what_is_queued_twice_is_one_turn() -> None:
    async def step(driver: AsyncioDriver[Turned]) -> None:
        came: list[int] = []
        driver.scheduler.loop.soon(came.append, 1)
        driver.rearm()
        due = driver._due
        driver.rearm()
        assert driver._due is due is not None
        await asyncio.sleep(0)
        assert came == [1]
        await driver.breathe()
        assert driver._due is None

    driven(step)


def test_a_child_turns_nothing_and_removes_nothing() -> None:
    async def step(driver: AsyncioDriver[Turned]) -> None:
        came: list[int] = []
        driver.scheduler.loop.soon(came.append, 1)
        driver._process = os.getpid() + 1
        assert not driver.is_own()
        driver.turn()
        assert came == []
        number = driver.scheduler.loop.fileno()
        driver.close()
        assert asyncio.get_running_loop().remove_reader(number)  # it was still there
        driver._process = os.getpid()

    driven(step)


def test_who_closes_it_is_read_no_more() -> None:
    async def step(driver: AsyncioDriver[Turned]) -> None:
        number = driver.scheduler.loop.fileno()
        driver.close()
        assert not asyncio.get_running_loop().remove_reader(number)
        driver.close()

    driven(step)


def test_what_is_due_later_is_cancelled_with_it() -> None:
    """A handle would keep the driver for as long as its time."""

    async def step(driver: AsyncioDriver[Turned]) -> None:
        assert driver.scheduler.loop.patience == math.inf  # the event loop waits for the peers
        driver.scheduler.loop.after(60, int)
        driver.rearm()
        timer = driver._timer
        driver.scheduler.loop.soon(int)
        driver.rearm()
        driver._timer = timer
        due = driver._due
        driver.close()
        assert timer is not None
        assert due is not None
        assert (timer.cancelled(), due.cancelled()) == (True, True)

    driven(step)


def test_it_knows_its_own_event_loop() -> None:
    drivers: list[AsyncioDriver[Turned]] = []

    async def make() -> None:
        drivers.append(AsyncioDriver(Turned()))
        assert drivers[0].is_here()

    async def look() -> None:
        assert not drivers[0].is_here()
        drivers[0].close()  # its event loop is over: there is nothing to remove

    asyncio.run(make())
    asyncio.run(look())
    assert drivers[0].scheduler.loop.closed


def test_one_that_is_collected_closes_what_it_drove() -> None:
    async def make() -> Turned:
        driver = AsyncioDriver(Turned())
        asyncio.get_running_loop().remove_reader(driver.scheduler.loop.fileno())
        return driver.scheduler

    turned = asyncio.run(make())
    gc.collect()
    assert turned.loop.closed


@pytest.mark.parametrize(
    ("how", "told"),
    [
        ("answered", "yes"),
        ("cancelled", None),  # which never means yes
        ("failed", ValueError),
        ("closed", "nothing"),
        ("over", "nothing"),
        ("collected", "nothing"),
    ],
)
def test_what_becomes_of_a_question(how: str, told: Any) -> None:
    async def step(driver: AsyncioDriver[Turned]) -> None:
        asked: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        heard: list[Any] = []

        def then(answer: Callable[[], Any]) -> None:
            try:
                heard.append(answer())
            except ValueError as error:
                heard.append(type(error))

        wrong: list[object] = []
        asyncio.get_running_loop().set_exception_handler(lambda _loop, context: wrong.append(context))
        answers = Answers(driver)
        awaited = answers.await_answer(asked, then)
        if how == "closed":
            awaited.close()
            assert asked.cancelled()
        elif how == "cancelled":
            asked.cancel()
        elif how == "failed":
            asked.set_exception(ValueError())
        else:
            asked.set_result("yes")
        if how == "over":
            driver.close()
        elif how == "collected":
            answers._driver = weakref.ref(AsyncioDriver.__new__(AsyncioDriver))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert (heard, wrong) == ([] if told == "nothing" else [told], [])
        assert not driver.scheduler.loop._soon

    driven(step)
