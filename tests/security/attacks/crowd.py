# Keeps as many processes alive as it is allowed, at most as many as the first argument says, until it is killed.
import os, signal, sys, time

alive = 0
while True:
    try:
        if alive < int(sys.argv[1]):
            if os.fork() == 0:
                signal.pause()
            alive += 1
            continue
    except OSError:
        pass
    time.sleep(0.01)
