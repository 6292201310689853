#!/usr/bin/env python3
"""Compares the models of keras.applications in Keras and Rhyton; called by scripts/keras_applications.sh.

    compare_applications.py PROGRAM FOLDER [--share K/N] [--only NAME] [--seconds N] [--seed TEXT]
    compare_applications.py FOLDER --docs PAGE.md

PROGRAM is Rhyton's part. FOLDER gets result.json, where the results of earlier runs stay, and in between the files of
one model at a time.
"""

import argparse
import datetime
import gc
import json
import pathlib
import shutil
import subprocess
import sys
import time
import traceback
import warnings

import applications
import results


def run(application, program, folder, seed):
    """The results of one model."""
    import keras_side  # TensorFlow: only where it is needed

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    started = time.monotonic()
    comparison = keras_side.Comparison(application, folder)
    measured = comparison.measured
    measured |= {"ok": False, "keras": keras_side.library.NAME, "date": datetime.date.today().isoformat()}
    try:
        comparison.make(seed)
        before = time.monotonic()
        outcome = subprocess.run([program, folder], capture_output=True, text=True, check=False)
        measured["rhyton_seconds"] = round(time.monotonic() - before, 1)
        if outcome.returncode != 0:
            raise AssertionError(f"Rhyton: {outcome.stderr.strip()[-400:] or outcome.returncode}")
        comparison.check()
        measured["ok"] = True
    except AssertionError as error:
        measured["error"] = str(error)
    except Exception as error:  # pylint: disable=broad-except
        traceback.print_exc()
        measured["error"] = f"{type(error).__name__}: {error}"
    shutil.rmtree(folder, ignore_errors=True)
    measured["seconds"] = round(time.monotonic() - started, 1)
    keras_side.keras.backend.clear_session()
    del comparison
    gc.collect()
    return measured


def wanted(arguments):
    found = [a for a in applications.ALL if arguments.only in ("", a.name)]
    if not found:
        raise SystemExit(f"keras.applications has no {arguments.only}")
    number, count = (int(part) for part in arguments.share.split("/"))
    if not 1 <= number <= count:
        raise SystemExit(f"There is no share {arguments.share}")
    found = applications.share(found, number, count)
    return applications.within(found, arguments.seconds, arguments.seed) if arguments.seconds else found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program", nargs="?", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--share", default="1/1")
    parser.add_argument("--only", default="")
    parser.add_argument("--seconds", type=int, default=0)
    parser.add_argument("--seed", default="")
    parser.add_argument("--docs", type=pathlib.Path)
    arguments = parser.parse_args()
    stored = results.Results(arguments.folder / "result.json")
    if arguments.docs:
        results.write_page(stored, arguments.docs)
        return 0

    warnings.simplefilter("ignore")
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "keras_interop"))
    outcomes = []
    print(results.HEAD, flush=True)
    for application in wanted(arguments):
        measured = run(application, arguments.program, arguments.folder / "model", seed=1)
        stored.add(measured)
        outcomes.append(measured)
        print(results.line(measured), flush=True)
    failed = sum(not outcome["ok"] for outcome in outcomes)
    print(f"{len(outcomes) - failed} passed, {failed} failed")
    return 1 if failed or not outcomes else 0


if __name__ == "__main__":
    sys.exit(main())
