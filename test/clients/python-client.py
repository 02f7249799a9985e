import sys

from colloquy_client import AuthenticatedClient
from colloquy_client.api.search import search_posts
from colloquy_client.models import PostsEnvelope, Problem

address, key = sys.argv[1:]


def words(token, **parameters):
    with AuthenticatedClient(base_url=address, token=token) as client:
        answer = search_posts.sync_detailed(client=client, **parameters)
    if isinstance(answer.parsed, PostsEnvelope):
        page = answer.parsed
        assert "field_of_tomorrow" in page.data[0].additional_properties
        return f"{page.type_} {page.total_count} {','.join(post.id for post in page.data)}"
    assert isinstance(answer.parsed, Problem), answer
    return f"{answer.parsed.status} {answer.parsed.code}"


print(words(key, query="cats", limit=10))
print(words(key, query="cats", fields="created,id"))
print(words(key, query="score:x"))
print(words("no-key", query="cats"))
