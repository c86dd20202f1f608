"""What several files have to agree on: settings, versions, times to stop, and what the image is built from.

    agree.py CONTEXT MANIFESTS…

MANIFESTS are the rendered examples for Kubernetes. What a build of the image would be sent is copied to the folder CONTEXT.
"""

import re
import shutil
import sys
import tomllib
from pathlib import Path

import yaml
from docker.utils.build import exclude_paths

DEPLOY = Path(__file__).resolve().parent.parent
ROOT = DEPLOY.parent
faults: list[str] = []


def settings() -> None:
    """Every setting that a file here names is in the README's table."""
    known = set(re.findall(r"^\| `\w+` \| `--[\w-]+` \| `(PARLEY_\w+)` \|", (ROOT / "README.md").read_text(), re.M))
    # The file of settings, what Kubernetes would set by itself, which a comment names, and what checks are given.
    known |= {"PARLEY_CONFIG", "PARLEY_PORT", "PARLEY_BINARY"}
    for path in sorted(DEPLOY.rglob("*")):
        if path.is_dir() or path.is_relative_to(DEPLOY / "adr") or path.is_relative_to(DEPLOY / "checks"):
            continue
        for name in sorted(set(re.findall(r"\bPARLEY_[A-Z_]+\b", path.read_text())) - known):
            faults.append(f"{path.relative_to(ROOT)}: {name} is not in the README's table of settings")


def default(setting: str) -> int:
    """A number from the README's table."""
    row = re.search(rf"^\| `{setting}` \|[^|]*\|[^|]*\| `(\d+)` \|", (ROOT / "README.md").read_text(), re.M)
    assert row, setting
    return int(row[1])


def versions() -> None:
    """Images have the version of the workspace, and are compiled with a compiler that is new enough."""
    package = tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["package"]
    overlays = [f"kubernetes/overlays/{name}/kustomization.yaml" for name in ("example", "cluster")]
    for name in ("compose.yaml", "compose.cluster.yaml", "kubernetes/base/kustomization.yaml", *overlays):
        found = re.findall(r"(?:image: parley:|newTag: )(\S+)", (DEPLOY / name).read_text())
        if found != [package["version"]]:
            faults.append(f"deploy/{name}: the image is {found}, but the version is {package['version']}")
    compiler = re.search(r"^FROM rust:([\d.]+)-", (DEPLOY / "Dockerfile").read_text(), re.M)
    numbers = [[int(part) for part in text.split(".")] for text in (compiler[1], package["rust-version"])]
    if numbers[0] < numbers[1]:
        faults.append(f"deploy/Dockerfile: rust {compiler[1]} is older than rust-version {package['rust-version']}")


def services() -> dict[str, dict]:
    """All services of both compose files, those of the second as they are with the first."""
    one, cluster = (yaml.safe_load((DEPLOY / name).read_text())["services"] for name in ("compose.yaml", "compose.cluster.yaml"))
    return one | {name: one.get(name, {}) | service for name, service in cluster.items()}


def times(manifests: list[dict]) -> None:
    """Everybody waits longer than the service takes to stop: open calls drain, then the journal is closed."""
    drain = default("drain_seconds")
    stops = []
    for each in manifests:
        if each["kind"] == "StatefulSet" and each["metadata"]["name"] == "parley":
            pod = each["spec"]["template"]["spec"]
            source = pod["containers"][0]["envFrom"][0]["configMapRef"]["name"]
            told = next(one for one in manifests if one["metadata"]["name"] == source)["data"]["PARLEY_DRAIN_SECONDS"]
            before = pod["containers"][0]["lifecycle"]["preStop"]["sleep"]["seconds"]
            stops.append(("kubernetes", pod["terminationGracePeriodSeconds"], before + 2 * int(told)))
    for name, service in services().items():
        if name.startswith("gateway"):
            stops.append((f"compose: {name}", int(service["stop_grace_period"].removesuffix("s")), 2 * drain))
    unit = re.search(r"^TimeoutStopSec=(\d+)$", (DEPLOY / "systemd" / "parley.service").read_text(), re.M)
    stops.append(("systemd", int(unit[1]), 2 * drain))
    for who, waits, needed in stops:
        if waits <= needed:
            faults.append(f"{who}: waits {waits} seconds for the service to stop, which may take {needed}")


def confined(manifests: list[dict]) -> None:
    """Selectors choose Parley's pods and no others: an empty one would choose everybody's."""
    for each in manifests:
        spec = each.get("spec", {})
        for selector in ("selector", "podSelector"):
            if selector in spec and not spec[selector]:
                faults.append(f"{each['kind']} {each['metadata']['name']}: its {selector} is empty")
        if each["kind"] == "StatefulSet":
            pod = spec["template"]["spec"]
            inside = [container.get("securityContext", {}) for container in pod["containers"]]
            if not pod["securityContext"].get("runAsNonRoot") or not all(one.get("readOnlyRootFilesystem") for one in inside):
                faults.append(f"kubernetes: {each['metadata']['name']} may do more than it needs")
    for name, service in services().items():
        if not (service.get("read_only") and service.get("cap_drop") == ["ALL"] and service.get("security_opt")):
            faults.append(f"compose: {name} may do more than it needs")
        if not all(port.startswith("127.0.0.1:") for port in service.get("ports", [])):
            faults.append(f"compose: {name} can be reached from elsewhere")
        if not name.startswith("gateway") and "healthcheck" not in service:
            faults.append(f"compose: {name} has no health check")


def scraped(manifests: list[dict]) -> None:
    """Prometheus asks the port that numbers are told on, which clients are not given, and may reach it."""
    for name, service in services().items():
        if name.startswith("gateway") and not str(service["environment"].get("PARLEY_METRICS_LISTEN", "")).endswith(":7401"):
            faults.append(f"compose: {name} does not tell its numbers on 7401, where prometheus/*.yml ask for them")
        if any("7401" in port for port in service.get("ports", [])):
            faults.append(f"compose: {name} tells its numbers outside of the containers")
    for name in ("prometheus.yml", "cluster.yml"):
        for target in re.findall(r'"(gateway[-\d]*:\d+)"', (DEPLOY / "prometheus" / name).read_text()):
            if not target.endswith(":7401"):
                faults.append(f"prometheus/{name}: {target} tells no numbers")
    monitors = [each for each in manifests if each["kind"] == "ServiceMonitor"]
    for monitor in monitors:
        wanted, port = monitor["spec"]["selector"]["matchLabels"].items(), monitor["spec"]["endpoints"][0]["port"]
        chosen = [each for each in manifests if each["kind"] == "Service" and wanted <= each["metadata"].get("labels", {}).items()]
        ports = [each["targetPort"] for one in chosen for each in one["spec"]["ports"] if each["name"] == port]
        pod = next(each for each in manifests if each["kind"] == "StatefulSet" and each["metadata"]["name"] == "parley")
        container = pod["spec"]["template"]["spec"]["containers"][0]
        source = container["envFrom"][0]["configMapRef"]["name"]
        listens = next(one for one in manifests if one["metadata"]["name"] == source)["data"].get("PARLEY_METRICS_LISTEN", "")
        opened = [each["containerPort"] for each in container["ports"] if [each["name"]] == ports]
        if len(chosen) != 1 or [listens.rpartition(":")[2]] != [str(each) for each in opened]:
            faults.append(f"kubernetes: the monitor asks {ports} of {len(chosen)} services, the pod opens {opened} and listens on {listens}")
        policies = [each["spec"] for each in manifests if each["kind"] == "NetworkPolicy"]
        doors = [rule for policy in policies for rule in policy.get("ingress", []) if {"port": "metrics"} in rule["ports"]]
        if len(doors) != 1 or not doors[0].get("from"):
            faults.append("kubernetes: the port for numbers is closed, or open to everybody")


def context(folder: Path) -> None:
    """What .dockerignore lets through is enough to build, and no more than that."""
    patterns = [line for line in (ROOT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    for name in exclude_paths(str(ROOT), patterns):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, folder / name)
    for source in folder.rglob("*.rs"):
        for name in re.findall(r'include_(?:str|bytes)!\(\s*"([^"]+)"', source.read_text()):
            if not (source.parent / name).is_file() and "tests" not in source.parts and source.name != "tests.rs":
                faults.append(f".dockerignore: {source.relative_to(folder)} includes {name}, which is left out")
    page = re.findall(r'\("/[^"]*", "([^"]+)", "', (folder / "gateway/src/http/page.rs").read_text())
    for name in [f"gateway/web/dist/{file}" for file in page] + ["data/rules/plunder.yaml", "Cargo.lock"]:
        if not (folder / name).is_file():
            faults.append(f".dockerignore: {name} is left out, but the binary holds it")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    if size > 16 << 20:
        faults.append(f".dockerignore: {size} bytes go to the builder, which is more than the sources")
    print(f"the build is sent {size >> 10} KiB")


settings()
versions()
for file in sys.argv[2:]:
    manifests = list(yaml.safe_load_all(Path(file).read_text()))
    times(manifests)
    confined(manifests)
    scraped(manifests)
context(Path(sys.argv[1]))
sys.exit("\n".join(faults) or 0)
