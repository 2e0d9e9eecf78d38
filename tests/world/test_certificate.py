from __future__ import annotations

import ssl

from anyurl.world.certificate import self_signed, server_context


def test_it_is_the_same_at_every_start() -> None:
    assert self_signed("a") == self_signed("a") != self_signed("b")


def test_a_server_begins_tls_with_it() -> None:
    context = server_context(*self_signed("a"))
    assert context.minimum_version == ssl.TLSVersion.TLSv1_2
