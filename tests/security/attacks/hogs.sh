# Starts $1 processes that hold $2 MB each for a while, and says how many of them were killed.
killed=0
for i in $(seq "$1"); do
  python3 -c "import time; held = b'x' * ($2 << 20); time.sleep(5)" &
  pids="$pids $!"
done 2>/dev/null
for pid in $pids; do wait "$pid" 2>/dev/null || killed=$((killed + 1)); done
echo "$killed"
