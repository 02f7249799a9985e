import assert from 'node:assert/strict';
import { it } from 'node:test';
import { COMMENTS, POSTS } from './corpus.ts';
import { sendRandomRequests } from './random-requests.ts';
import { openService } from './service.ts';

it('random requests from the OpenAPI document: none is a 5xx, each is as the document says, at least 40 % are 200', async () => {
  await using service = await openService(POSTS, COMMENTS);
  const server = await service.build();
  const statuses = await sendRandomRequests(server, service, { count: 400, seed: 2026 });
  assert.ok((statuses.get(200) ?? 0) >= 160, JSON.stringify([...statuses]));
});
