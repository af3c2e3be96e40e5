#!/usr/bin/env python3
"""Drives workers over the ready issues of a project, through the command line alone.

    python3 orchestrate.py WORKERS PROGRAM [ARGUMENT...]

Each worker takes one issue at a time (`bd run`), runs PROGRAM on it (BD_ISSUE names the issue) and goes on until nothing can be
handed out and nobody works any more. Prints one line of JSON for each end of a program, and a summary.
"""
import json
import os
import subprocess
import sys
import threading
import time

said = threading.Lock()
ends = []
failed = []


def bd(*args, agent="orchestrator"):
    """The answer of a command, or its error."""
    env = dict(os.environ, BD_AGENT=agent)
    done = subprocess.run(["bd", "--json", *args], env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    try:
        return json.loads(done.stdout), None
    except ValueError:
        errors = [json.loads(line) for line in done.stderr.splitlines() if line.startswith('{"error"')]
        return None, (errors or [{"error": {"code": "failed", "message": done.stderr}}])[-1]["error"]


def work(name, program):
    while True:
        ran, error = bd("run", "--", *program, agent=name)
        if error and error.get("recoverable"):
            time.sleep(error.get("retry_after", 1))
        elif error:
            failed.append(f"{name}: {error['message']}")
            return
        elif ran:
            with said:
                ends.append(ran[0])
                print(json.dumps({"worker": name, "id": ran[0]["id"], "outcome": ran[0]["outcome"]}), flush=True)
        elif not bd("leases")[0] and not bd("ready", "--claimable")[0]:
            return
        else:
            # Another worker's end may make something ready.
            time.sleep(0.3)


def main():
    workers, program = int(sys.argv[1]), sys.argv[2:]
    threads = [threading.Thread(target=work, args=(f"worker-{n}", program)) for n in range(1, workers + 1)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    attention, _ = bd("list", "--label", "needs-attention")
    closed = [end["id"] for end in ends if end["outcome"] == "closed"]
    held, _ = bd("leases")
    print(json.dumps({"closed": len(closed), "twice": len(closed) - len(set(closed)), "needs_attention": [one["id"] for one in attention or []], "held": [one["id"] for one in held or []]}))
    sys.exit("\n".join(failed) or None)


main()
