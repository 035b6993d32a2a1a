# Takes hold of the supervisor and init as a debugger, then sends the named signals to both, one after the other.
import ctypes, json, os, signal, sys

libc = ctypes.CDLL(None, use_errno=True)
PTRACE_ATTACH, PTRACE_DETACH = 16, 17


def supervisor():
    # Init names it too, as what it is to start.
    for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"):
        try:
            words = open(f"/proc/{pid}/cmdline").read().split("\0")
        except OSError:
            continue
        if "/opt/opentiger/supervisor.cjs" in words:
            return pid


def trace(pid):
    if libc.ptrace(PTRACE_ATTACH, pid, None, None) != 0:
        return os.strerror(ctypes.get_errno())
    os.waitpid(pid, 0x40000000)
    libc.ptrace(PTRACE_DETACH, pid, None, None)
    return "held"


def send(pid, name):
    try:
        os.kill(pid, signal.Signals["SIG" + name])
        return "sent"
    except OSError as error:
        return os.strerror(error.errno)


pids = {"supervisor": supervisor(), "init": 1}
report = {name: {"ptrace": trace(pid)} for name, pid in pids.items()}
for name in sys.argv[1:]:
    for target, pid in pids.items():
        report[target][name] = send(pid, name)
print(json.dumps(report), flush=True)
