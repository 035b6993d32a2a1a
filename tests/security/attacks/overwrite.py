# Puts a spy in the place of setpriv and node, and tries to open for writing what cannot be replaced without breaking
# this program itself. The spy notes the rights it was started with in the file that the first argument names.
import json, os, shutil, sys

notes = sys.argv[1]
spy = f"#!/bin/sh\necho \"$0 $(grep CapEff /proc/self/status)\" >> '{notes}'\nexit 0\n"
supervisor = "/opt/opentiger/supervisor.cjs"


def replace(name):
    path = os.path.realpath(shutil.which(name))
    try:
        with open(path + ".new", "w") as file:
            file.write(spy)
        os.chmod(path + ".new", 0o755)
        os.replace(path + ".new", path)
        return "replaced"
    except OSError as error:
        return os.strerror(error.errno)


def write(path):
    try:
        os.chmod(path, 0o755)
        os.close(os.open(path, os.O_WRONLY))
        return "writable"
    except OSError as error:
        return os.strerror(error.errno)


def libraries():
    lines = open("/proc/self/maps").read().split("\n")
    return sorted({line.split()[-1] for line in lines if "libc.so" in line or "/ld-" in line})


report = {name: replace(name) for name in ("setpriv", "node")}
report["libraries"] = [write(path) for path in libraries()]
if os.path.exists(supervisor):
    report["supervisor"] = write(supervisor)
    tools = "/opt/opentiger/tools/bin/node"
    if os.path.exists(tools):
        report["tools"] = write(tools)
print(json.dumps(report))
