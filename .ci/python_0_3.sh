#!/usr/bin/env bash
# The official Python client of A2A 0.3, in an environment of its own, calls the chapel.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=$(mktemp -d)
chapel=
finish() {
  [ -z "$chapel" ] || { kill "$chapel" && wait "$chapel"; } 2>/dev/null || true
  rm -rf "$scratch"
}
trap finish EXIT

python3 -c 'import ensurepip' 2>/dev/null || { apt-get update -qq && apt-get install -y -qq python3-venv; }
python3 -m venv "$scratch/python"
"$scratch/python/bin/pip" install --quiet --disable-pip-version-check 'a2a-sdk>=0.3.20,<0.4'

cargo build --quiet --example chapel
CHAPEL_ADDR=127.0.0.1:0 cargo run --quiet --example chapel >"$scratch/log" &
chapel=$!
for _ in $(seq 100); do
  base=$(sed -n 's/^The chapel answers at \([^,]*\),.*/\1/p' "$scratch/log")
  [ -z "$base" ] || break
  sleep 0.1
done
# The price stands in one place, which the replies must not show.
price=$(sed -n 's/.*Held::new("service-pricing", "[^0-9]*\([0-9.]*\)".*/\1/p' examples/chapel/agent.rs)
[ -n "$base" ] && [ -n "$price" ]
"$scratch/python/bin/python" tests/python/client_0_3.py "$base" "$price"
