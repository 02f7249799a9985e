import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/helpers.ts';
import { readConfig } from '../config.ts';
import { openSearchSettings } from './engines.ts';

/** The settings, their names without what all have in common. */
function settings(own: Readonly<Record<string, string>>) {
  const named = Object.entries(own).map(([name, text]) => [`COLLOQUY_OPENSEARCH_${name}`, text]);
  return openSearchSettings(readConfig(Object.fromEntries(named)));
}

describe('the settings of OpenSearch', () => {
  it('with nodes alone, the others have defaults', () =>
    assert.deepEqual(settings({ NODES: 'https://os1:9200' }), {
      nodes: ['https://os1:9200'],
      prefix: 'colloquy',
      shards: 3,
      replicas: 1,
      signIn: null,
    }));

  it('shards are of each kind alike, or one by one', () => {
    const shards = (SHARDS: string) => settings({ NODES: 'https://os1:9200', SHARDS }).shards;
    assert.equal(shards('24'), 24);
    assert.deepEqual(shards('posts:65,comments:200'), { post: 65, comment: 200 });
  });

  it('user and password are the one line of a file', () => {
    using folder = temporaryFolder();
    const LOGIN = join(folder.path, 'login');
    for (const end of ['', '\n', '\r\n']) {
      writeFileSync(LOGIN, `ann: two words:${end}`);
      assert.deepEqual(settings({ NODES: 'https://os1:9200', LOGIN }).signIn, {
        ...{ user: 'ann', password: ' two words:' },
      });
    }
  });

  it('nodes without TLS are those of this machine, unless the operator allows others', () => {
    const here = ['127.0.0.1', '127.1', '127.255.0.9', 'localhost', 'LOCALHOST', '[::1]', '[0::0:1]'];
    for (const host of here) assert.equal(settings({ NODES: `http://${host}:9200` }).nodes.length, 1, host);
    const elsewhere = 'os1 10.0.0.1 128.0.0.1 127.0.0.1.example.org localhost.example.org [::2]';
    for (const host of elsewhere.split(' ')) {
      const NODES = `https://os0:9200,http://${host}:9200`;
      assert.throws(() => settings({ NODES }), {
        name: 'UsageError',
        message: new RegExp(`\`COLLOQUY_OPENSEARCH_NODES\`: .*${RegExp.escape(host)}.*_HTTP=anywhere\``),
      });
      assert.equal(settings({ NODES, HTTP: 'anywhere' }).nodes.length, 2, host);
    }
  });

  it('what is missing, contradicts itself or cannot be read is refused with a line that names the setting', () => {
    using folder = temporaryFolder();
    const file = (name: string, text: string) => {
      const path = join(folder.path, name);
      writeFileSync(path, text);
      return path;
    };
    const NODES = 'https://os1:9200';
    const cases: readonly [Readonly<Record<string, string>>, RegExp][] = [
      [{}, /`COLLOQUY_OPENSEARCH_NODES`: expected addresses .*engine is `opensearch`; found none$/],
      [{ NODES, LOGIN: join(folder.path, 'absent') }, /`COLLOQUY_OPENSEARCH_LOGIN`: .*ENOENT/],
      [{ NODES, LOGIN: folder.path }, /_LOGIN`: .*EISDIR/],
      [{ NODES, LOGIN: file('empty', '\n') }, /_LOGIN`: .* found an empty one$/],
      [{ NODES, LOGIN: file('two', 'ann:a\nb\n') }, /_LOGIN`: .* found several$/],
      [{ NODES, LOGIN: file('alone', 'secret\n') }, /_LOGIN`: (?!.*secret).* found something else$/],
    ];
    for (const [own, message] of cases) assert.throws(() => settings(own), { name: 'UsageError', message });
  });
});
