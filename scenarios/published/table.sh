#!/usr/bin/env bash
# Prints the bubble rates (bubble_ratio_span) of the zero-bubble paper's models, simulated.
set -euo pipefail
cd "$(dirname "$0")/../.."

# rate SCENARIO SCHEDULE LIMIT: the bubble rate with four digits; 0 is no limit
rate() {
  ./dev run simulate "$1" --json --set "pipeline.schedule=$2" --set "pipeline.memory_limit=$3" |
    sed -n 's/^ *"bubble_ratio_span": \([0-9.]*\).*/\1/p' |
    awk '{ printf "%.4f", $1 }'
}

printf '%-24s %7s %7s %7s %7s %7s\n' scenario 1f1b zb_h1 zb_h2 zb_1p zb_2p
for scenario in scenarios/published/*.toml; do
  ranks=$(sed -n 's/^ranks = //p' "$scenario")
  printf '%-24s %7s %7s %7s %7s %7s\n' "$(basename "$scenario" .toml)" \
    "$(rate "$scenario" 1f1b 0)" "$(rate "$scenario" zb_h1 0)" "$(rate "$scenario" zb_h2 0)" \
    "$(rate "$scenario" zb_heuristic "$ranks")" "$(rate "$scenario" zb_heuristic "$((2 * ranks))")"
done
