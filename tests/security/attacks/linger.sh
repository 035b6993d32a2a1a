# Starts processes that mean to outlive the exec they belong to, each by another way out, and then waits with them.
# What still sleeps for 4700-odd seconds after the kill has got away.
setsid sleep 4701 &
(setsid sh -c 'sleep 4702 &' &)
env -i "$(command -v setsid)" "$(command -v sleep)" 4703 &
nohup sh -c 'trap "" TERM HUP INT; sleep 4704; sleep 4704' >/dev/null 2>&1 &
python3 -c '
import os
for leave in (lambda: os.setgroups([]), lambda: os.unshare(os.CLONE_NEWUSER)):
    try: leave()
    except (OSError, AttributeError): pass
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0: os.execve("/bin/sleep", ["sleep", "4705"], {})
    os._exit(0)
' &
sleep 4706
