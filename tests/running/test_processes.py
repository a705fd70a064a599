"""Worker processes: they answer, never hear Ctrl-C, and end with their parent."""

from __future__ import annotations

import os
import signal
import threading
from multiprocessing.connection import Connection

import pytest

from tests.helpers.processes import alive, wait_until
from theorycalc.running.processes import interrupts_held, received, start_process


def echo(pipe: Connection) -> None:
    for message in received(pipe):
        pipe.send_bytes(message)


@pytest.mark.slow
def test_a_worker_never_hears_ctrl_c_and_ends_when_its_pipe_does():
    process, pipe = start_process(echo)
    os.kill(process.pid, signal.SIGINT)  # while it starts
    pipe.send_bytes(b"one")
    assert pipe.recv_bytes() == b"one"
    os.kill(process.pid, signal.SIGINT)
    pipe.send_bytes(b"two")
    assert pipe.recv_bytes() == b"two"
    pipe.close()
    wait_until(lambda: not alive(process.pid))
    process.join()
    assert process.exitcode == 1


@pytest.mark.parametrize("others", [0, 2], ids=["alone", "beside other threads"])
def test_an_interrupt_waits_for_the_end_of_the_block(others):
    """Of several threads any may hear the signal, which Python then handles in the first."""
    over, before = threading.Event(), signal.getsignal(signal.SIGINT)
    threads = [threading.Thread(target=over.wait) for _ in range(others)]
    for thread in threads:
        thread.start()
    reached = []

    def be_interrupted():
        with interrupts_held():
            os.kill(os.getpid(), signal.SIGINT)
            os.kill(os.getpid(), signal.SIGTERM)
            reached.extend(range(100))

    try:
        with pytest.raises(KeyboardInterrupt):
            be_interrupted()
    finally:
        over.set()
    assert len(reached) == 100
    assert signal.getsignal(signal.SIGINT) is before
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_in_another_thread_no_handler_is_touched():
    found = []

    def hold():
        with interrupts_held():
            found.append(signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ()))

    thread = threading.Thread(target=hold)
    thread.start()
    thread.join()
    assert found == [True]
