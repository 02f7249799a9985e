"""What feedparser finds in the Atom documents of a folder: a line of JSON for each, by name."""

import json
import pathlib
import sys

import feedparser

for path in sorted(pathlib.Path(sys.argv[1]).glob("*.atom")):
    found = feedparser.parse(path.read_bytes(), sanitize_html=False, resolve_relative_uris=False)
    links = {link.rel: link.href for link in found.feed.links}
    entries = [
        {
            "id": entry.id,
            "title": entry.title,
            "link": entry.link,
            "text": entry.content[0].value,
            "type": entry.content[0].type,
            "updated": entry.updated,
        }
        for entry in found.entries
    ]
    print(
        json.dumps(
            {
                "name": path.name,
                "bozo": str(found.get("bozo_exception", "")),
                "version": found.version,
                "title": found.feed.title,
                "self": links["self"],
                "home": links["alternate"],
                "next": links.get("next"),
                "entries": entries,
            }
        )
    )
