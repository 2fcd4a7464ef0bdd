"""The licences of all that is linked into the command and the libraries, and of what they contain.

    licences.py ROOT
"""

import json
import os
import pathlib
import subprocess
import sys

root = pathlib.Path(sys.argv[1])


def said(words):
    """What a command prints."""
    return subprocess.run(words.split(), cwd=root, check=True, capture_output=True, text=True).stdout


host = next(line.split()[1] for line in said("rustc -vV").splitlines() if line.startswith("host:"))
target = os.environ.get("CARGO_BUILD_TARGET") or host
tree = said(f"cargo tree --edges normal --prefix none --format {{p}} -p iota-cli -p iota -p gen-wraps --locked --offline --target {target}")
used = {tuple(line.split()[:2]) for line in tree.splitlines() if line.strip()}
packages = json.loads(said(f"cargo metadata --format-version 1 --locked --offline --filter-platform {target}"))["packages"]


def texts(folder):
    """The licence files of a folder, by name."""
    names = ("licen", "copying", "notice", "unlicense")
    files = sorted(path for path in folder.iterdir() if path.is_file() and path.name.lower().startswith(names))
    return [path.read_text(errors="replace").strip() for path in files]


print("Licences of what iota is linked with, and of what it contains.")
for package in sorted(packages, key=lambda package: (package["name"], package["version"])):
    if package["source"] is None or (package["name"], "v" + package["version"]) not in used:
        continue
    found = texts(pathlib.Path(package["manifest_path"]).parent)
    print(f"\n{'=' * 100}\n{package['name']} {package['version']}: {package['license']}\n")
    print("\n\n".join(found) or "The licence is named in the package; its text is that of the same licence elsewhere in this file.")
for name, folder in (("DejaVu Sans", "crates/plot/font"), ("plotly.js", "crates/report/vendor")):
    print(f"\n{'=' * 100}\n{name}\n\n" + "\n\n".join(texts(root / folder)))
