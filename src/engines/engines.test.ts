import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { temporaryFolder } from '../../test/helpers.ts';
import { readConfig } from '../config.ts';
import { openSearchSettings } from './engines.ts';

const PEM = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n';

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
      ca: null,
    }));

  it('a password is the one line of its file, and certificates are those in theirs', () => {
    using folder = temporaryFolder();
    const [PASSWORD_FILE, CA] = [join(folder.path, 'password'), join(folder.path, 'ca.pem')];
    writeFileSync(CA, PEM);
    for (const end of ['', '\n', '\r\n']) {
      writeFileSync(PASSWORD_FILE, ` two words:${end}`);
      const { signIn, ca } = settings({ NODES: 'https://os1:9200', USER: 'ann', PASSWORD_FILE, CA });
      assert.deepEqual([signIn, ca], [{ user: 'ann', password: ' two words:' }, PEM]);
    }
  });

  it('nodes without TLS are those of this machine, unless the operator allows others', () => {
    const here = ['127.0.0.1', '127.1', '127.255.0.9', 'localhost', 'LOCALHOST', '[::1]', '[0::0:1]'];
    for (const host of here) assert.equal(settings({ NODES: `http://${host}:9200` }).nodes.length, 1, host);
    const elsewhere = [
      'os1',
      '10.0.0.1',
      '128.0.0.1',
      '127.0.0.1.example.org',
      'localhost.example.org',
      '[::2]',
    ];
    for (const host of elsewhere) {
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
    const absent = join(folder.path, 'absent');
    const pem = file('ca.pem', PEM);
    const cases: readonly [Readonly<Record<string, string>>, RegExp][] = [
      [{}, /`COLLOQUY_OPENSEARCH_NODES`: expected addresses .*engine is `opensearch`; found none$/],
      [
        { NODES, USER: 'ann' },
        /`COLLOQUY_OPENSEARCH_PASSWORD_FILE`: .*`COLLOQUY_OPENSEARCH_USER`; found none$/,
      ],
      [{ NODES, PASSWORD_FILE: pem }, /`COLLOQUY_OPENSEARCH_USER`: .*_PASSWORD_FILE`; found none$/],
      [{ NODES, USER: 'ann', PASSWORD_FILE: absent }, /`COLLOQUY_OPENSEARCH_PASSWORD_FILE`: .*ENOENT/],
      [{ NODES, USER: 'ann', PASSWORD_FILE: folder.path }, /_PASSWORD_FILE`: .*EISDIR/],
      [{ NODES, USER: 'ann', PASSWORD_FILE: file('empty', '\n') }, /_PASSWORD_FILE`: .* found an empty one$/],
      [{ NODES, USER: 'ann', PASSWORD_FILE: file('two', 'a\nb\n') }, /_PASSWORD_FILE`: .* found several$/],
      [{ NODES, CA: absent }, /`COLLOQUY_OPENSEARCH_CA`: .*ENOENT/],
      [{ NODES, CA: file('key.pem', '-----BEGIN PRIVATE KEY-----\n') }, /_CA`: .*in PEM.* found none in it$/],
      [
        { NODES: `${NODES},http://os2:9200`, CA: pem, HTTP: 'anywhere' },
        /_CA`: .*https:\/\/, found `http:\/\/os2:9200`$/,
      ],
    ];
    for (const [own, message] of cases) assert.throws(() => settings(own), { name: 'UsageError', message });
  });
});
