"""Tries every way onto a network that needs no proxy. Reports for each what came back, or the error."""
import json
import socket
import ssl
import struct
import sys

goal = json.loads(sys.argv[1])
timeout = 2


def attempt(action):
    try:
        return action()
    except OSError as error:
        return f"error: {error.__class__.__name__} {error.errno}"


def query(name):
    labels = b"".join(bytes([len(part)]) + part.encode() for part in name.split("."))
    return struct.pack(">HHHHHH", 0x1234, 0x0100, 1, 0, 0, 0) + labels + b"\0" + struct.pack(">HH", 1, 1)


def tcp(address, port, data=b"hello"):
    with socket.create_connection((address, port), timeout) as connection:
        connection.sendall(data)
        return f"answered {len(connection.recv(65536))} bytes"


def tls(address, port, data):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    with socket.create_connection((address, port), timeout) as connection:
        with context.wrap_socket(connection) as session:
            session.sendall(data)
            return f"answered {len(session.recv(65536))} bytes"


def udp(address, port, data, family=socket.AF_INET):
    with socket.socket(family, socket.SOCK_DGRAM) as endpoint:
        endpoint.settimeout(timeout)
        endpoint.sendto(data, (address, port))
        return f"answered {len(endpoint.recv(65536))} bytes"


def ping(address, kinds):
    for kind in kinds:
        try:
            with socket.socket(socket.AF_INET, kind, socket.IPPROTO_ICMP) as endpoint:
                endpoint.settimeout(timeout)
                endpoint.sendto(struct.pack(">BBHHH", 8, 0, 0xF7FD, 1, 1), (address, 0))
                return f"answered {len(endpoint.recv(2048))} bytes"
        except PermissionError:
            continue
    return "error: not permitted"


message = query(goal["name"])
print(json.dumps({
    "tcp": attempt(lambda: tcp(goal["public"], 9000)),
    "metadata": attempt(lambda: tcp(goal["metadata"], 80, b"GET / HTTP/1.0\r\n\r\n")),
    "private": attempt(lambda: tcp(goal["private"], 80, b"GET / HTTP/1.0\r\n\r\n")),
    "dns": attempt(lambda: udp(goal["names"], 53, message)),
    "dnsTcp": attempt(lambda: tcp(goal["names"], 53, struct.pack(">H", len(message)) + message)),
    "dnsTls": attempt(lambda: tls(goal["names"], 853, struct.pack(">H", len(message)) + message)),
    "udp": attempt(lambda: udp(goal["public"], 9000, b"leak")),
    "quic": attempt(lambda: udp(goal["public"], 443, b"\xc0" + b"\0" * 1199)),
    # A socket of the ping group; a raw one where that is not allowed.
    "icmp": attempt(lambda: ping(goal["public"], (socket.SOCK_DGRAM, socket.SOCK_RAW))),
    "raw": attempt(lambda: ping(goal["public"], (socket.SOCK_RAW,))),
    "ipv6": attempt(lambda: tcp(goal["publicV6"], 9000)),
}))
