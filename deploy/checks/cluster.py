"""The NATS servers of a cluster: what the files give them and the gateways fits together, and three of them do what they should.

    cluster.py MANIFESTS FOLDER

MANIFESTS is the rendered example of a cluster for Kubernetes. Three servers run for some seconds with data in FOLDER.
"""

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import yaml

DEPLOY = Path(__file__).resolve().parent.parent
CONFIGURATION = DEPLOY / "nats" / "nats.conf"
PASSWORD = "a1b2c3"
faults: list[str] = []


def pod(manifests: list[dict], name: str) -> dict:
    """The one container of a StatefulSet."""
    found = next(each for each in manifests if each["kind"] == "StatefulSet" and each["metadata"]["name"] == name)
    return found["spec"]["template"]["spec"]["containers"][0]


def expanded(container: dict, own: dict[str, str]) -> dict[str, str]:
    """Variables of a container, as Kubernetes makes them; `own` is what is not in the file."""
    given: dict[str, str] = {}
    for each in container["env"]:
        value = each.get("value") or own[each["name"]]
        given[each["name"]] = re.sub(r"\$\((\w+)\)", lambda found: given.get(found[1], found[0]), value)
    return given


def environments(manifests: list[dict]) -> dict[str, tuple[list[dict[str, str]], list[dict[str, str]]]]:
    """Of each way to run a cluster: what the NATS servers and the gateways are given."""
    services = yaml.safe_load((DEPLOY / "compose.cluster.yaml").read_text())["services"]
    compose = [
        [service["environment"] for name, service in services.items() if re.fullmatch(rf"{kind}-\d", name)]
        for kind in ("nats", "gateway")
    ]
    own = [{"NATS_NAME": f"nats-{n}", "NATS_PASSWORD": PASSWORD, "POD_IP": f"10.0.0.{n}"} for n in range(3)]
    kubernetes = [[expanded(pod(manifests, name), each) for each in own] for name in ("nats", "parley")]
    return {"compose": tuple(compose), "kubernetes": tuple(kubernetes)}


def refusal(environment: dict[str, str]) -> str:
    """Why NATS would not start with this environment, or nothing."""
    bare = {name: value for name, value in os.environ.items() if not name.startswith("NATS_")}
    command = ["nats-server", "-t", "-c", str(CONFIGURATION)]
    told = subprocess.run(command, env=bare | environment, capture_output=True, text=True, check=False)
    return told.stderr if told.returncode else ""


def given(where: str, servers: list[dict[str, str]], gateways: list[dict[str, str]]) -> None:
    """Names, addresses and passwords agree."""
    names = {server["NATS_NAME"] for server in servers}
    if len(names) != 3 or len(gateways) != 3:
        faults.append(f"{where}: {sorted(names)} are not three NATS servers, or there are not three gateways")
    for server in servers:
        if why := refusal(server):
            faults.append(f"{where}: NATS does not take the configuration of {server['NATS_NAME']}: {why}")
    form = r"nats://parley:([^@]+)@((nats-\d)[.\w]*):(\d+)"
    routes = re.findall(form, servers[0]["NATS_ROUTES"])
    for gateway in gateways:
        addresses = [re.fullmatch(form, each) for each in gateway["PARLEY_CLUSTER"].split(",")]
        if None in addresses or [each[4] for each in addresses] != ["4222"] * 3:
            faults.append(f"{where}: {gateway['PARLEY_CLUSTER']} does not name three servers")
        elif [(each[1], each[2]) for each in addresses] != [route[:2] for route in routes]:
            faults.append(f"{where}: gateways and NATS servers are told different addresses or passwords")
    if {route[2] for route in routes} != names or {route[3] for route in routes} != {"6222"}:
        faults.append(f"{where}: the routes {routes} are not those of {sorted(names)}")
    if {route[0] for route in routes} != {server["NATS_PASSWORD"] for server in servers}:
        faults.append(f"{where}: the routes have another password than the servers")
    if len({gateway["PARLEY_CLUSTER_ADVERTISE"] for gateway in gateways}) != len(gateways):
        faults.append(f"{where}: two gateways say that they are at the same address")


def around(manifests: list[dict]) -> None:
    """What is beside them agrees too: who can reach NATS, who is asked and balanced, and room on the disk."""
    compose = yaml.safe_load((DEPLOY / "compose.cluster.yaml").read_text())
    gateways = {name for name in compose["services"] if name.startswith("gateway-")}
    reached = {name for name, service in compose["services"].items() if "store" in service.get("networks", [])}
    servers = {name for name in compose["services"] if name.startswith("nats-")}
    if reached != gateways | servers or not compose["networks"]["store"]["internal"]:
        faults.append(f"compose: {sorted(reached)} can reach NATS, or it can be reached from elsewhere")
    if any("ports" in compose["services"][name] for name in gateways | servers):
        faults.append("compose: a gateway or a NATS server has a port on this machine")
    for name in sorted(gateways):
        if compose["services"][name]["environment"]["PARLEY_CLUSTER_ADVERTISE"] != f"{name}:7400":
            faults.append(f"compose: {name} says that it is another one")
    for file, found in (
        ("envoy/envoy.yaml", re.findall(r"address: (gateway-\d), port_value: 7400", (DEPLOY / "envoy/envoy.yaml").read_text())),
        ("prometheus/cluster.yml", re.findall(r'"(gateway-\d):7401"', (DEPLOY / "prometheus/cluster.yml").read_text())),
    ):
        if set(found) != gateways or len(found) != len(gateways):
            faults.append(f"{file}: it names {found}, and the gateways are {sorted(gateways)}")
    limit = int(expanded(pod(manifests, "nats"), {"NATS_NAME": "", "NATS_PASSWORD": ""})["NATS_MAX_FILE_STORE"].removesuffix("GB"))
    claims = next(each for each in manifests if each["metadata"]["name"] == "nats" and each["kind"] == "StatefulSet")
    volume = int(claims["spec"]["volumeClaimTemplates"][0]["spec"]["resources"]["requests"]["storage"].removesuffix("Gi"))
    if limit >= volume:
        faults.append(f"kubernetes: NATS may write {limit} GB to a volume of {volume}")
    version = subprocess.run(["nats-server", "--version"], capture_output=True, text=True, check=True).stdout.split("v")[-1].strip()
    for who, image in [("kubernetes", pod(manifests, "nats")["image"])] + [
        (name, compose["services"][name]["image"]) for name in sorted(servers)
    ]:
        if image != f"nats:{version}-alpine":
            faults.append(f"{who}: {image} is not {version}, which is checked")


class Client:
    """As much of a NATS client as is needed here."""

    def __init__(self, port: int, password: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=10)
        self.lines = self.socket.makefile("rb")
        self.about = json.loads(self.lines.readline().removeprefix(b"INFO "))
        login = json.dumps({"user": "parley", "pass": password, "verbose": False, "headers": False})
        self.socket.sendall(f"CONNECT {login}\r\nPING\r\nSUB answers 1\r\n".encode())
        self.admitted = self.lines.readline().startswith(b"PONG")

    def ask(self, subject: str, payload: bytes) -> dict:
        """Sends a request, and gives the answer."""
        self.socket.sendall(f"PUB {subject} answers {len(payload)}\r\n".encode() + payload + b"\r\n")
        while not (line := self.lines.readline()).startswith(b"MSG"):
            assert line, "the connection ended"
        return json.loads(self.lines.read(int(line.split()[-1]) + 2))


def patiently(what: str, attempt, seconds: int = 60):
    """Tries until something comes of it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        with contextlib.suppress(OSError, ValueError, AssertionError, KeyError):
            if result := attempt():
                return result
        time.sleep(0.2)
    raise SystemExit(f"NATS: {what} did not happen in {seconds} seconds")


def alive(folder: Path) -> None:
    """Starts three servers with the configuration, on ports of this machine, and takes the first one away."""
    sockets = [socket.socket() for _ in range(9)]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    clients, routes, monitors = ports[:3], ports[3:6], ports[6:]
    addresses = ", ".join(f"nats://parley:{PASSWORD}@127.0.0.1:{port}" for port in routes)
    servers = []
    try:
        for number in range(3):
            text = CONFIGURATION.read_text().replace("store_dir: /data", f'store_dir: "{folder}/{number}"')
            for port, own in ((4222, clients), (6222, routes), (8222, monitors)):
                text = text.replace(f"0.0.0.0:{port}", f"127.0.0.1:{own[number]}")
            (folder / f"{number}.conf").write_text(text)
            variables = {"NATS_NAME": f"nats-{number}", "NATS_PASSWORD": PASSWORD, "NATS_MAX_FILE_STORE": "1GB"}
            variables["NATS_ROUTES"] = f"[{addresses}]"
            with (folder / f"{number}.log").open("wb") as log:
                command = ["nats-server", "-c", str(folder / f"{number}.conf")]
                servers.append(subprocess.Popen(command, env=os.environ | variables, stderr=log))

        def monitor(number: int, path: str) -> dict:
            with urllib.request.urlopen(f"http://127.0.0.1:{monitors[number]}/{path}", timeout=5) as answer:
                return json.load(answer)

        for number in range(3):
            patiently(f"that server {number} is well", lambda at=number: monitor(at, "healthz")["status"] == "ok")
        if not monitor(0, "jsz")["config"].get("sync_always"):
            faults.append("nats.conf: NATS does not sync before it acknowledges")
        if Client(clients[0], "wrong").admitted:
            faults.append("nats.conf: NATS lets in who does not know the password")
        client = Client(clients[1], PASSWORD)
        if client.about["max_payload"] != 8 << 20 or client.about.get("connect_urls"):
            faults.append(f"nats.conf: NATS takes {client.about['max_payload']} bytes, or names addresses that change")
        if not client.admitted:
            faults.append("nats.conf: NATS does not let in who knows the password")
        if faults:
            return
        stream = {"name": "check", "subjects": ["check"], "num_replicas": 3, "storage": "file"}
        made = client.ask("$JS.API.STREAM.CREATE.check", json.dumps(stream).encode())
        assert made.get("config"), made
        stored = client.ask("check", b"x" * (4 << 20))
        assert stored.get("seq") == 1, stored
        servers[0].send_signal(signal.SIGUSR2)
        servers[0].wait(60)
        patiently("an append to the two that are left", lambda: client.ask("check", b"y").get("seq"))
    finally:
        for server in servers:
            server.kill()
            server.wait()


manifests = list(yaml.safe_load_all(Path(sys.argv[1]).read_text()))
cases = environments(manifests)
for where, (servers, gateways) in cases.items():
    given(where, servers, gateways)
around(manifests)
good = cases["kubernetes"][0][0]
lacking = [{name: good[name] for name in good if name != left_out} for left_out in good if left_out.startswith("NATS_")]
for bad in [good | {"NATS_PASSWORD": "0"}, *lacking]:
    if not refusal(bad):
        faults.append(f"nats.conf: NATS starts with no more than {bad}")
alive(Path(sys.argv[2]))
sys.exit("\n".join(faults) or 0)
