#!/usr/bin/env python3
"""Walks every post that matches a query and writes a table of months as CSV.

    COLLOQUY_KEY=clq_… python3 examples/table.py 'solar -/r/politics after:1970-01-01' > solar.csv

BASE is the address of the server (default http://127.0.0.1:8080).
"""

import csv
import json
import os
import statistics
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

BASE = os.environ.get("BASE", "http://127.0.0.1:8080")
KEY = os.environ["COLLOQUY_KEY"]


def ask(**parameters):
    """One page. Waits and retries if the server is busy or the key has reached its rate limit."""
    address = f"{BASE}/api/v1/search/posts?{urllib.parse.urlencode(parameters)}"
    request = urllib.request.Request(address, headers={"Authorization": f"Bearer {KEY}"})
    while True:
        try:
            with urllib.request.urlopen(request) as response:
                return json.load(response)
        except urllib.error.HTTPError as error:
            problem = json.load(error)
            if error.code not in (429, 503):
                sys.exit(f"{problem['code']}: {problem['detail']}")
            time.sleep(int(error.headers.get("Retry-After", "1")))


def every_match(query):
    """Every matching post once, oldest first: posts that arrive meanwhile come last."""
    after = ""
    while True:
        page = ask(query=query, order_by="oldest", limit=1000, after=after)
        yield from page["data"]
        if not page["sort_key"]:
            return
        after = page["sort_key"][0][0]


def main():
    months = {}
    for post in every_match(" ".join(sys.argv[1:])):
        month = time.strftime("%Y-%m", time.gmtime(post["created_utc"]))
        months.setdefault(month, []).append(post)
    table = csv.writer(sys.stdout, lineterminator="\n")
    table.writerow(["month", "posts", "median_score", "communities"])
    for month, posts in sorted(months.items()):
        median = statistics.median(post["score"] for post in posts)
        communities = {post["subreddit"]["name"] for post in posts}
        table.writerow([month, len(posts), f"{median:g}", len(communities)])


main()
