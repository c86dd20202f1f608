"""The dashboard and the alerts ask for metrics that there are, in a way that fits their kind.

    metrics.py RULES

writes every question of the dashboard to the file RULES as a rule, for promtool to read.
"""

import json
import re
import sys
from pathlib import Path

import yaml

DEPLOY = Path(__file__).resolve().parent.parent
DASHBOARD = DEPLOY / "grafana" / "dashboards" / "parley.json"
ALERTS = DEPLOY / "prometheus" / "alerts.yml"
# What Prometheus itself adds to every series.
ADDED = {"instance", "job", "le"}

faults: list[str] = []


def listed() -> dict[str, tuple[str, dict[str, list[str]]]]:
    """Reads metrics.txt: kind and labels of each metric."""
    metrics = {}
    for line in (DEPLOY / "metrics.txt").read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        name, kind, *labels = line.split()
        assert kind in ("counter", "gauge", "histogram"), line
        pairs = (label.partition("=") for label in labels)
        metrics[name] = (kind, {label: values.split(",") if values else [] for label, _, values in pairs})
    return metrics


def check(where: str, question: str, metrics: dict) -> set[str]:
    """Names what is wrong with a question, and gives the metrics that it asks for."""
    asked = set()
    known_labels = set(ADDED)
    for found in re.finditer(r"\b(parley_\w+)(\{[^}]*\})?", question):
        series, matchers = found[1], found[2] or ""
        name = series if series in metrics else re.sub(r"_(bucket|sum|count)$", "", series)
        kind, labels = metrics.get(name, (None, {}))
        if kind is None:
            faults.append(f"{where}: {series} is not in metrics.txt")
            continue
        asked.add(name)
        known_labels |= labels.keys()
        if (kind == "histogram") != (name != series):
            faults.append(f"{where}: {name} is a {kind}, and is not asked for as {series}")
        before = question[: found.start()]
        grows = kind == "counter" or name != series
        if grows != bool(re.search(r"\b(rate|increase|resets)\($", before)) and "unless" not in question:
            faults.append(f"{where}: {series} is {'asked for without' if grows else 'no counter, but asked for with'} rate")
        for label, value in re.findall(r'(\w+)\s*[=!]~?\s*"([^"]*)"', matchers):
            values = labels.get(label, [])
            if label not in labels.keys() | ADDED:
                faults.append(f"{where}: {name} has no label {label}")
            elif values and value not in values:
                faults.append(f"{where}: {label} of {name} is never {value}")
    for label in re.findall(r"\w+", " ".join(re.findall(r"\bby\s*\(([^)]*)\)", question))):
        if label not in known_labels:
            faults.append(f"{where}: no metric here has a label {label}")
    return asked


def main() -> None:
    """Checks everything."""
    metrics = listed()
    dashboard = json.loads(DASHBOARD.read_text())
    panels = [panel for panel in dashboard["panels"] if panel["type"] != "row"]
    questions = {}
    for panel in panels:
        for target in panel["targets"]:
            questions[f"dashboard, {panel['title']}, {target['refId']}"] = target["expr"]
    for note in dashboard["annotations"]["list"]:
        questions[f"dashboard, annotation {note['name']}"] = note["expr"]
    asked = set()
    for where, question in questions.items():
        asked |= check(where, question, metrics)
    faults.extend(f"dashboard: nothing shows {name}" for name in sorted(metrics.keys() - asked))

    identities = [panel["id"] for panel in dashboard["panels"]]
    if len(set(identities)) != len(identities):
        faults.append("dashboard: two panels have the same id")
    tiles = set()
    for panel in dashboard["panels"]:
        at = panel["gridPos"]
        covered = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        if tiles & covered or at["x"] + at["w"] > 24:
            faults.append(f"dashboard: {panel['title']} lies over another panel or over the edge")
        tiles |= covered
    sources = set(re.findall(r'"uid": "([^"]*)"', DASHBOARD.read_text())) - {dashboard["uid"]}
    if sources != {"${source}"}:
        faults.append(f"dashboard: it asks the sources {sorted(sources)}, not only the chosen one")

    for group in yaml.safe_load(ALERTS.read_text())["groups"]:
        for rule in group["rules"]:
            check(f"alert {rule['alert']}", rule["expr"], metrics)
            if not rule["annotations"].get("action"):
                faults.append(f"alert {rule['alert']}: it does not say what to do")

    plain = [question.replace("$__rate_interval", "1m").replace("$instance", ".*") for question in questions.values()]
    rules = [{"record": f"dashboard:question:{number}", "expr": question} for number, question in enumerate(plain)]
    Path(sys.argv[1]).write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    print(f"{len(metrics)} metrics, {len(questions)} questions in {len(panels)} panels")


main()
sys.exit("\n".join(faults) or 0)
