# Tries to write into the folder of the first argument, mounted read-only: at once, after remounting it, and from a
# user namespace of its own, where one is root.
import ctypes, json, os, sys

folder = sys.argv[1]
libc = ctypes.CDLL(None, use_errno=True)
MS_REMOUNT, MS_BIND = 32, 4096
CLONE_NEWNS, CLONE_NEWUSER = 0x00020000, 0x10000000


def write(name):
    try:
        open(f"{folder}/{name}", "w").close()
        return "written"
    except OSError as error:
        return os.strerror(error.errno)


def called(result):
    return "done" if result == 0 else os.strerror(ctypes.get_errno())


def remount():
    return called(libc.mount(None, folder.encode(), None, MS_REMOUNT | MS_BIND, None))


report = {"write": write("at-once"), "remount": remount(), "afterRemount": write("after-remount")}
report["namespace"] = called(libc.unshare(CLONE_NEWUSER | CLONE_NEWNS))
remount()
report["inNamespace"] = write("in-namespace")
print(json.dumps(report))
