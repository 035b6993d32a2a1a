"""Opens tunnels through the HTTP proxy with what each line of the first argument says: a CONNECT target, a server name
for the TLS hello (or none), or raw bytes. Reports the proxy's status line, and whether a TLS session came about."""
import json
import socket
import ssl
import sys

timeout = 5


def connect(target):
    proxy = socket.create_connection(("127.0.0.1", 3128), timeout)
    proxy.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode("latin1"))
    head = b""
    while b"\r\n\r\n" not in head:
        data = proxy.recv(4096)
        if not data:
            break
        head += data
    return proxy, head.split(b"\r\n")[0].decode("latin1")


def hello(proxy, name):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    try:
        with context.wrap_socket(proxy, server_hostname=name) as session:
            session.sendall(b"GET / HTTP/1.0\r\n\r\n")
            return f"answered {len(session.recv(65536))} bytes"
    except OSError as error:
        return f"error: {error.__class__.__name__}"


def raw(proxy, text):
    try:
        proxy.settimeout(timeout)
        proxy.sendall(text.encode("latin1"))
        return f"answered {len(proxy.recv(65536))} bytes"
    except OSError as error:
        return f"error: {error.__class__.__name__}"


reports = []
for line in json.loads(sys.argv[1]):
    try:
        proxy, status = connect(line["target"])
        through = None
        if " 200 " in status and "raw" in line:
            through = raw(proxy, line["raw"])
        elif " 200 " in status:
            through = hello(proxy, line.get("name"))
        reports.append({"status": status, "through": through})
    except OSError as error:
        reports.append({"status": f"error: {error.__class__.__name__}", "through": None})
print(json.dumps(reports))
