# Says which of those processes still run.
pgrep -ax sleep | sed -n 's/.*sleep \(470[0-9]\)$/\1/p' | sort -u
