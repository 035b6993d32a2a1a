"""Starts the spawner's file as whoever runs this, says wrong things to it, and reports how each ends it."""
import json
import os
import random
import signal
import socket
import struct
import sys

NO_PIPE = 0xFFFFFFFF
numbers = lambda *values: struct.pack("=%dI" % len(values), *values)
message = lambda kind, id, body: numbers(kind, id, len(body)) + body


def spawn(strings, arguments, variables, stdio=(NO_PIPE, NO_PIPE, NO_PIPE)):
    return message(2, 9, numbers(os.getuid(), os.getgid(), 61000, 0, *stdio, arguments, variables) + strings)


def end_of(said):
    ours, theirs = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        os.dup2(theirs.fileno(), 3)
        os.execv(sys.argv[1], ["spawner"])
    theirs.close()
    ours.recv(16)
    try:
        ours.sendall(said)
        ours.shutdown(socket.SHUT_WR)
    except OSError:
        pass
    answered = b""
    try:
        for piece in iter(lambda: ours.recv(4096), b""):
            answered += piece
    except ConnectionResetError:
        pass  # It ended without reading all that was said.
    status = os.waitpid(pid, 0)[1]
    how = "signal %d" % os.WTERMSIG(status) if os.WIFSIGNALED(status) else "exit %d" % os.WEXITSTATUS(status)
    started = [index for index in range(0, len(answered), 16) if struct.unpack("=I", answered[index : index + 4])[0] == 3]
    return how + (" after a start" if started else "")


random.seed(7)
wrong = {
    "an unknown request": message(99, 1, b""),
    "a body beyond every bound": numbers(2, 1, 0x7FFFFFFF),
    "a start without its numbers": message(2, 1, b"x"),
    "a start without strings": spawn(b"", 1, 0),
    "fewer strings than announced": spawn(b"/\0true\0", 4, 0),
    "more strings than announced": spawn(b"/\0true\0A=b\0", 1, 0),
    "a string without an end": spawn(b"/\0true", 1, 0),
    "more strings than can be": spawn(b"/\0true\0", 0xFFFFFFFF, 0xFFFFFFFF),
    "no argument": spawn(b"/\0", 0, 0),
    "a pipe that was never made": spawn(b"/\0true\0", 1, 0, (5, NO_PIPE, NO_PIPE)),
    "the same pipe twice": message(1, 5, b"") * 2,
    "a pipe of no number": message(1, NO_PIPE, b""),
    "a signal without its number": message(3, 1, b""),
}
right = {
    "a signal to another's process": message(3, os.getppid(), numbers(signal.SIGKILL)),
    "a start": spawn(b"/\0true\0PATH=/bin\0", 1, 1),
}
ends_of = lambda all_said: {name: end_of(said) for name, said in all_said.items()}
noise = sorted({end_of(random.randbytes(random.randrange(1, 400))) for _ in range(300)})
print(json.dumps({"wrong": ends_of(wrong), "right": ends_of(right), "noise": noise}))
