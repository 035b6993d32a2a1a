# Tries to read each of the named files or sockets of the host: as they are, and by way of every process's root.
import glob, json, os, socket, stat, sys


def read(path):
    try:
        if stat.S_ISSOCK(os.stat(path).st_mode):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(path)
            return "connected"
        return open(path).read()
    except OSError:
        return None


def reach(path):
    ways = [path] + [f"{root}{path}" for root in glob.glob("/proc/[0-9]*/root")]
    return next((found for found in map(read, ways) if found is not None), None)


print(json.dumps([reach(path) for path in sys.argv[1:]]))
