import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultDataFolder, defaultMemory, readConfig, SETTINGS } from './config.ts';

/** Each value with its name. */
function rowsOf(table: Readonly<Record<string, readonly string[]>>): [name: string, text: string][] {
  return Object.entries(table).flatMap(([name, texts]) =>
    texts.map((text): [string, string] => [name, text]),
  );
}

describe('settings', () => {
  it('without any, the defaults hold', () => {
    const config = readConfig({});
    for (const [field, setting] of Object.entries(SETTINGS)) {
      assert.deepEqual(config[field as keyof typeof config], setting.fallback);
    }
  });

  it('HOST and PORT are honoured, ours come first', () => {
    assert.equal(readConfig({ PORT: '9000', HOST: '0.0.0.0' }).port, 9000);
    assert.equal(readConfig({ PORT: '9000', COLLOQUY_PORT: '9001' }).port, 9001);
  });

  it('an empty setting is as absent', () => assert.equal(readConfig({ COLLOQUY_PORT: '' }).port, 8080));

  it('the data folder is in the project, and never in an installed package, which npm replaces', {
    skip: process.platform === 'win32' && 'paths of another shape',
  }, () => {
    const home = { XDG_DATA_HOME: '/home/ann/data' };
    assert.equal(defaultDataFolder('/srv/checkout/', home), '/srv/checkout/data');
    assert.equal(defaultDataFolder('/usr/lib/node_modules/colloquy/', home), '/home/ann/data/colloquy');
    assert.match(defaultDataFolder('/usr/lib/node_modules/colloquy/', {}), /^\/.*\.local\/share\/colloquy$/);
  });

  it('the memory for an index is a quarter of what the process may have', () => {
    const gib = 2 ** 30;
    assert.equal(readConfig({ COLLOQUY_MEMORY: '2GB' }).memory, 2 * gib);
    assert.equal(defaultMemory(16 * gib, 0), 4 * gib);
    assert.equal(defaultMemory(16 * gib, 2 * gib), gib / 2);
    assert.equal(defaultMemory(16 * gib, 2 ** 63), 4 * gib);
    assert.equal(defaultMemory(gib / 8, 0), gib / 16);
  });

  const good = {
    COLLOQUY_PORT: ['0', '65535'],
    COLLOQUY_ENGINE: ['embedded', 'opensearch'],
    COLLOQUY_HOST: ['::1', '[::1]', '::', '/run/colloquy/colloquy.sock', `/${'a'.repeat(102)}`],
    COLLOQUY_PERMALINK_BASE: ['https://old.reddit.com/'],
    COLLOQUY_IMPLIED_WINDOW: ['off'],
    COLLOQUY_REQUESTS_PER_MINUTE: ['0'],
    COLLOQUY_QUERY_TIMEOUT_MS: ['1'],
    COLLOQUY_THREADS: ['0'],
    COLLOQUY_MEMORY: ['64MB', '1000 gb'],
    COLLOQUY_REGISTRATION: ['closed'],
    COLLOQUY_TRUSTED_PROXIES: ['127.0.0.1, 10.0.0.0/8,::1, fd00::/8'],
    COLLOQUY_OPENSEARCH_NODES: ['http://os1:9200'],
    COLLOQUY_OPENSEARCH_PREFIX: ['2024_colloquy-test'],
    COLLOQUY_OPENSEARCH_SHARDS: ['1024', 'posts:65,comments:200'],
    COLLOQUY_OPENSEARCH_REPLICAS: ['0'],
  };
  for (const [name, text] of rowsOf(good))
    it(`${name}=${text} is taken`, () => void readConfig({ [name]: text }));

  const bad = {
    COLLOQUY_PORT: ['65536', '-1', 'http'],
    COLLOQUY_MEMORY: ['63MB', '1001GB', '1000000000'],
    PORT: ['x'],
    COLLOQUY_ENGINE: ['elasticsearch'],
    COLLOQUY_HOST: ['a b', '[127.0.0.1]', '[::1', './colloquy.sock', '/run/', `/${'a'.repeat(103)}`],
    COLLOQUY_PERMALINK_BASE: ['reddit.com'],
    COLLOQUY_IMPLIED_WINDOW: ['2d'],
    COLLOQUY_REQUESTS_PER_MINUTE: ['1.5'],
    COLLOQUY_QUERY_TIMEOUT_MS: ['0'],
    COLLOQUY_THREADS: ['65', 'all'],
    COLLOQUY_REGISTRATION: ['no'],
    COLLOQUY_TRUSTED_PROXIES: ['proxy.example.org', '10.0.0.0/33', '10.0.0.1,,10.0.0.2'],
    COLLOQUY_OPENSEARCH_NODES: [
      ...['os1:9200', 'http://os1:9200,', 'http://os1:9200/search'],
      ...['http://os1:9200#', 'ftp://os1:9200', 'http://os1:92000'],
    ],
    COLLOQUY_OPENSEARCH_URL: ['os1'],
    COLLOQUY_OPENSEARCH_PREFIX: ['Colloquy', '-colloquy', 'a/b', 'a'.repeat(101)],
    COLLOQUY_OPENSEARCH_SHARDS: ['0', 'posts:65', 'posts:0,comments:3', 'posts:1,comments:1025'],
    COLLOQUY_OPENSEARCH_REPLICAS: ['11'],
  };
  for (const [name, text] of rowsOf(bad)) {
    it(`${name}=${text} is refused with a line that names it`, () => {
      const message = new RegExp(`${name}.*${RegExp.escape(text)}`);
      assert.throws(() => readConfig({ [name]: text }), { name: 'UsageError', message });
    });
  }

  it('nodes are taken as origins, each once; COLLOQUY_OPENSEARCH_URL names them too', () => {
    const nodes = 'http://os1:9200, https://OS2:9200/,http://os1:9200/';
    const expected = ['http://os1:9200', 'https://os2:9200'];
    assert.deepEqual(readConfig({ COLLOQUY_OPENSEARCH_NODES: nodes }).openSearchNodes, expected);
    assert.deepEqual(readConfig({ COLLOQUY_OPENSEARCH_URL: nodes }).openSearchNodes, expected);
    const both = { COLLOQUY_OPENSEARCH_NODES: 'http://os3:9200', COLLOQUY_OPENSEARCH_URL: nodes };
    assert.deepEqual(readConfig(both).openSearchNodes, ['http://os3:9200']);
  });

  for (const secret of ['hunter2', 'hunter2@x', 'hunter2/x', 'hunter2?']) {
    it(`a password in an address (${secret}) is refused, and not repeated`, () => {
      const nodes = `https://os1:9200,https://ann:${secret}@os2:9200`;
      assert.throws(() => readConfig({ COLLOQUY_OPENSEARCH_NODES: nodes }), {
        name: 'UsageError',
        message: /^setting `COLLOQUY_OPENSEARCH_NODES`: (?!.*hunter2).*_LOGIN.*os2:9200`$/,
      });
    });
  }
});
