# Looks into the supervisor and init by way of /proc, and says for each what could be opened.
import json, os


def supervisor():
    # Init names it too, as what it is to start.
    for pid in sorted(int(name) for name in os.listdir("/proc") if name.isdigit() and name != "1"):
        try:
            words = open(f"/proc/{pid}/cmdline").read().split("\0")
        except OSError:
            continue
        if "/opt/opentiger/supervisor.cjs" in words:
            return pid


def attempt(look):
    try:
        look()
        return "open"
    except OSError as error:
        return os.strerror(error.errno)


def peek(pid):
    at = f"/proc/{pid}"
    return {
        "environ": attempt(lambda: open(f"{at}/environ").read()),
        "mem": attempt(lambda: os.close(os.open(f"{at}/mem", os.O_RDWR))),
        "maps": attempt(lambda: open(f"{at}/maps").read()),
        "fd": attempt(lambda: [os.readlink(f"{at}/fd/{fd}") for fd in os.listdir(f"{at}/fd")]),
        "root": attempt(lambda: os.readlink(f"{at}/root")),
        "cwd": attempt(lambda: os.readlink(f"{at}/cwd")),
        "exe": attempt(lambda: os.readlink(f"{at}/exe")),
    }


print(json.dumps({"supervisor": peek(supervisor()), "init": peek(1)}))
