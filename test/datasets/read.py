"""Reads data sets with one library, and says what it found there as JSON.

read.py LIBRARY FOLDER…: each folder has the files of a data set. Ends with 1 where a description is not valid.
"""

import json
import sys
from pathlib import Path


def frictionless(folder):
    from frictionless import Package

    report = Package(str(folder / "datapackage.json")).validate()
    if not report.valid:
        sys.exit(json.dumps(report.flatten(["name", "type", "note"])[:5]))
    return {task.name: task.stats.get("rows") for task in report.tasks}


def mlcroissant(folder):
    import mlcroissant as croissant

    dataset = croissant.Dataset(str(folder / "croissant.json"))
    issues = dataset.metadata.ctx.issues
    if issues.errors:
        sys.exit("\n".join(issues.errors))
    found = {}
    for table in dataset.metadata.record_sets:
        ids = [row[f"{table.uuid}/id"] for row in dataset.records(table.uuid)]
        found[table.uuid] = [value.decode() if isinstance(value, bytes) else str(value) for value in ids]
    return found


def datasets(folder):
    from datasets import get_dataset_config_names, load_dataset

    found = {}
    for name in get_dataset_config_names(str(folder)):
        found[name] = load_dataset(str(folder), name, split="train")["id"][:]
    return found


LIBRARIES = {"frictionless": frictionless, "mlcroissant": mlcroissant, "datasets": datasets}
read = LIBRARIES[sys.argv[1]]
print(json.dumps([read(Path(folder)) for folder in sys.argv[2:]]))
