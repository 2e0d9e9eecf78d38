"""What libcurl would do by itself is off on every handle."""

from __future__ import annotations

import pycurl

from anyurl.net.http.easy_options import EASY_OPTIONS


def test_libcurl_takes_all_of_it_and_follows_nothing_by_itself() -> None:
    handle = pycurl.Curl()
    for option, value in EASY_OPTIONS:
        handle.setopt(option, value)
    handle.close()
    told = dict(EASY_OPTIONS)
    assert len(told) == len(EASY_OPTIONS)
    assert (told[pycurl.FOLLOWLOCATION], told[pycurl.REDIR_PROTOCOLS], told[pycurl.NETRC]) == (0, 0, 0)
    assert (told[pycurl.PROXY], told[pycurl.HTTP_CONTENT_DECODING]) == ("", 0)
    assert (told[pycurl.SSL_VERIFYPEER], told[pycurl.SSL_VERIFYHOST]) == (1, 2)
