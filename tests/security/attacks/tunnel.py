"""Opens tunnels with what each line of the first argument says: a target, a server name for the TLS hello (or none) or
raw bytes, and how the hello is cut and what it hides. They go through the HTTP proxy, or by "socks" through the other
one; a second argument is an address to which everything goes at once, without a proxy. Reports what the proxy said, and
what came through the tunnel."""
import json
import socket
import ssl
import struct
import sys

timeout = 5
directly = sys.argv[2] if len(sys.argv) > 2 else None


def connect(line):
    target = line["target"]
    if directly:
        return socket.create_connection((directly, int(target.rpartition(":")[2])), timeout), "direct 200 ", ""
    if line.get("socks"):
        return connect_socks(target)
    proxy = socket.create_connection(("127.0.0.1", 3128), timeout)
    proxy.sendall(f"CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n\r\n".encode("latin1"))
    head = b""
    # One by one: what follows is the server's.
    while b"\r\n\r\n" not in head:
        data = proxy.recv(1)
        if not data:
            break
        head += data
    status = head.split(b"\r\n")[0].decode("latin1")
    said = "" if " 200 " in status else (head + rest(proxy)).decode("latin1")
    return proxy, status, said


def connect_socks(target):
    host, _, port = target.rpartition(":")
    proxy = socket.create_connection(("127.0.0.1", 1080), timeout)
    proxy.sendall(b"\x05\x01\x00")
    proxy.recv(2)
    name = host.encode("utf8")
    proxy.sendall(b"\x05\x01\x00\x03" + bytes([len(name)]) + name + struct.pack(">H", int(port)))
    reply = proxy.recv(10)
    return proxy, f"socks {200 if reply[1:2] == bytes(1) else 403} ", ""


def rest(proxy):
    data = b""
    while part := proxy.recv(4096):
        data += part
    return data


def session(proxy, name):
    context = unchecked()
    with context.wrap_socket(proxy, server_hostname=name) as secure:
        secure.sendall(b"GET / HTTP/1.0\r\n\r\n")
        return f"answered {len(secure.recv(65536))} bytes"


def unchecked():
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def hello(name, ech):
    """The first message of a TLS client, without its record."""
    incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
    try:
        unchecked().wrap_bio(incoming, outgoing, server_hostname=name).do_handshake()
    except ssl.SSLWantReadError:
        pass
    message = outgoing.read()[5:]
    return hiding(message) if ech else message


def hiding(message):
    """With the extension of an encrypted hello behind the others."""
    extension = struct.pack(">HH", 0xFE0D, 16) + b"\0" * 16
    at = 4 + 2 + 32
    at += 1 + message[at]
    at += 2 + struct.unpack_from(">H", message, at)[0]
    at += 1 + message[at]
    size = struct.unpack_from(">H", message, at)[0]
    body = message[4:at] + struct.pack(">H", size + len(extension)) + message[at + 2:] + extension
    return message[:1] + len(body).to_bytes(3, "big") + body


def in_records(message, size):
    parts = [message[at:at + size] for at in range(0, len(message), size)]
    return [b"\x16\x03\x01" + struct.pack(">H", len(part)) + part for part in parts]


def through(proxy, line):
    proxy.settimeout(timeout)
    if "raw" in line:
        proxy.sendall(line["raw"].encode("latin1"))
    elif "cut" in line or line.get("ech"):
        proxy.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for record in in_records(hello(line.get("name"), line.get("ech")), line.get("cut", 16384)):
            # Each record comes in two parts, of which the first ends within its head.
            proxy.sendall(record[:3])
            proxy.sendall(record[3:])
    else:
        return session(proxy, line.get("name"))
    data = proxy.recv(65536)
    if data[:1] in (b"\x15", b"\x16"):
        return "alert" if data[0] == 0x15 else "handshake"
    return f"answered {data.splitlines()[0].decode('latin1')}" if data else "ended"


reports = []
for line in json.loads(sys.argv[1]):
    report = {"status": "error", "said": "", "through": None}
    try:
        proxy, report["status"], report["said"] = connect(line)
        if " 200 " in report["status"]:
            report["through"] = through(proxy, line)
    except OSError as error:
        report["through"] = f"error: {error.__class__.__name__}"
    reports.append(report)
print(json.dumps(reports))
