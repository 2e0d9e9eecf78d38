"""What the rules find, and what they know: semgrep --test deploy/semgrep."""

import http.client
import urllib.request

import aiohttp
import httpx
import httpx2
import requests
import urllib3

import anyurl
import anyurl.adapters.aiohttp
import anyurl.adapters.httpx
import anyurl.adapters.httpx2
import anyurl.adapters.requests
import anyurl.adapters.urllib
import anyurl.adapters.urllib3
from anyurl.adapters.aiohttp import GuardedConnector
from anyurl.adapters.httpx import AsyncGuardedTransport, GuardedTransport


def followed(url, host, base, name):
    # ruleid: unguarded-request
    requests.get(url)
    # ruleid: unguarded-request
    requests.post(url, json={"a": 1}, timeout=5)
    # ruleid: unguarded-request
    requests.request("GET", url)
    # ruleid: unguarded-request
    requests.head(f"https://{host}/", allow_redirects=True)
    # ruleid: unguarded-request
    httpx.get(url, follow_redirects=True)
    # ruleid: unguarded-request
    httpx.request("POST", url)
    # ruleid: unguarded-request
    httpx.stream("GET", base + name)
    # ruleid: unguarded-request
    httpx2.get(url)
    # ruleid: unguarded-request
    urllib.request.urlopen(url)
    # ruleid: unguarded-request
    urllib.request.urlretrieve(url, "file")
    # ruleid: unguarded-request
    urllib3.request("GET", url)
    # ruleid: unguarded-request
    aiohttp.request("GET", url)


def clients(host):
    # ruleid: unguarded-client
    requests.Session()
    # ruleid: unguarded-client
    httpx.Client(timeout=5)
    # ruleid: unguarded-client
    httpx.AsyncClient()
    # ruleid: unguarded-client
    httpx2.Client()
    # ruleid: unguarded-client
    urllib3.PoolManager()
    # ruleid: unguarded-client
    urllib.request.build_opener()
    # ruleid: unguarded-client
    aiohttp.ClientSession()
    # ruleid: unguarded-client
    http.client.HTTPSConnection(host)


def own():
    # ok: unguarded-request
    requests.get("https://api.example.org/v1")
    # ok: unguarded-request
    requests.request("POST", "https://api.example.org/v1")
    # ok: unguarded-request
    httpx.get("https://api.example.org/v1", timeout=5)
    # ok: unguarded-request
    httpx.stream("GET", "https://api.example.org/v1")
    # ok: unguarded-request
    urllib.request.urlopen("https://api.example.org/v1")
    # ok: unguarded-request
    urllib3.request("GET", "https://api.example.org/v1")
    # ok: unguarded-client
    http.client.HTTPSConnection("api.example.org")


def guarded(url, policy, resource):
    # ok: unguarded-request
    anyurl.get(url, policy=policy)
    # ok: unguarded-client
    anyurl.Client(policy=policy)
    # ok: unguarded-client
    anyurl.adapters.requests.session(policy)
    # ok: unguarded-client
    anyurl.adapters.httpx.client(policy)
    # ok: unguarded-client
    anyurl.adapters.httpx.async_client(policy)
    # ok: unguarded-client
    anyurl.adapters.httpx2.client(policy)
    # ok: unguarded-client
    anyurl.adapters.urllib.opener(policy)
    # ok: unguarded-client
    anyurl.adapters.urllib3.GuardedPoolManager(policy)
    # ok: unguarded-client
    httpx.Client(transport=GuardedTransport(policy), timeout=5)
    # ok: unguarded-client
    httpx.AsyncClient(transport=AsyncGuardedTransport(policy))
    # ok: unguarded-client
    aiohttp.ClientSession(connector=GuardedConnector(policy))
    # ok: unguarded-client
    aiohttp.ClientSession(connector=anyurl.adapters.aiohttp.GuardedConnector(policy))
    # ok: unguarded-request
    resource.get(url)
